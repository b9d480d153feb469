package import Domain
package import Postgres

extension DomainError {
  /// Converts a database error to one for the caller, which does not contain the statement.
  package init(_ error: PostgresError) {
    switch error.kind {
    case .connection, .poolTimeout:
      self.init(
        .unavailable,
        "the database did not answer: \(error.message)",
        hint:
          "check that PostgreSQL runs and that DATABASE_URL or the PG* variables name it, then run `fettle doctor`"
      )
      return
    case .unknownOutcome:
      self.init(
        .unavailable,
        "the connection broke during the commit, whose outcome is unknown",
        hint: "read the record again before you repeat the command"
      )
      return
    default: break
    }
    switch error.sqlState {
    case .queryCanceled?, .lockNotAvailable?, .idleInTransactionSessionTimeout?:
      self.init(
        .timedOut,
        "the database took too long",
        hint: "try again; if it fails again, run `fettle doctor`"
      )
    case .uniqueViolation? where error.constraint == "entry_open_of_plan":
      self.init(.planHasOpenEntry)
    case .uniqueViolation?:
      self.init(.alreadyExists, "a record with the same \(Self.key(of: error)) exists already")
    case .foreignKeyViolation?:
      self.init(.notFound, "a reference points to a row that does not exist in this company")
    case .checkViolation?, .notNullViolation?:
      self.init(.invalidInput, "\(Self.key(of: error)) has a value that is not allowed")
    case .insufficientPrivilege?:
      self.init(
        .forbidden,
        "the database refused this login",
        hint: "connect as fettle_admin; `fettle doctor` shows which rights are missing"
      )
    case .serializationFailure?, .deadlockDetected?:
      self.init(.unavailable, "another transaction was writing the same rows", hint: "try again")
    case .undefinedTable?, .invalidSchemaName?, .undefinedFunction?:
      self.init(
        .unavailable,
        "the database lacks a table, schema or function of this program",
        hint: "run `fettle migrate`"
      )
    case let state? where state.rawValue.hasPrefix("22"):
      self.init(.invalidInput, error.message)
    case let state? where state.rawValue.hasPrefix("28") || state.rawValue.hasPrefix("3D"):
      self.init(
        .unavailable,
        "the database refused the connection: \(error.message)",
        hint: "check the user, the password and the database name"
      )
    case let state? where ["08", "53", "57"].contains(state.rawValue.prefix(2)):
      self.init(
        .unavailable,
        "the database is not available: \(error.message)",
        hint: "try again in a moment"
      )
    case let state? where state.rawValue == "FT011":
      self.init(
        .wrongState,
        error.message,
        hint: "wait until the other job has ended, or cancel it, and try again"
      )
    case let state? where state.rawValue == "FT025":
      self.init(
        .unavailable,
        "a condition took longer than \(GuardPath.slowest): \(Quoted((error.detail ?? "").replacing("\"", with: "'")))",
        hint: "simplify the condition, or compute its value in a column of the view",
        details: ["condition": .string(error.detail ?? "")]
      )
    default:
      self.init(.internal, "the database refused a statement: \(error.message)")
    }
  }

  /// Returns words for the columns of a constraint, derived from its name: `machine_code` is the code of a
  /// machine.
  private static func key(of error: PostgresError) -> String {
    if let column = error.column { return column.split(separator: "_").joined(separator: " ") }
    guard let constraint = error.constraint else { return "key" }
    var words = constraint.split(separator: "_").map(String.init)
    if let table = error.table, words.first == table.split(separator: "_").first.map(String.init) {
      words.removeFirst(table.split(separator: "_").count)
    }
    if let last = words.last, ["key", "check", "idx", "pkey"].contains(last) { words.removeLast() }
    return words.isEmpty ? "key" : words.joined(separator: " ")
  }
}
