package import Domain
package import Postgres

extension DomainError {
  /// Converts a database error to one for the caller, without SQL, constraint names or values.
  package init(_ error: PostgresError) {
    switch error.kind {
    case .connection, .poolTimeout:
      self.init(
        .unavailable,
        "the database did not answer: \(error.message)",
        hint:
          "check that PostgreSQL runs and that DATABASE_URL or the PG* variables name it; `fettle doctor` tells more"
      )
      return
    case .unknownOutcome:
      self.init(
        .unavailable,
        "the connection broke while committing, and the outcome could not be learnt",
        hint: "ask for the record again before repeating the command"
      )
      return
    default: break
    }
    switch error.sqlState {
    case .queryCanceled?, .lockNotAvailable?, .idleInTransactionSessionTimeout?:
      self.init(.timedOut, "the database took too long", hint: "try again; if it stays, see `fettle doctor`")
    case .uniqueViolation? where error.constraint == "entry_open_of_plan":
      self.init(.planHasOpenEntry)
    case .uniqueViolation?:
      self.init(.alreadyExists, "a record with the same \(Self.key(of: error)) exists already")
    case .foreignKeyViolation?:
      self.init(.notFound, "something that is referred to does not exist in this company")
    case .checkViolation?, .notNullViolation?:
      self.init(.invalidInput, "\(Self.key(of: error)) has a value that is not allowed")
    case .insufficientPrivilege?:
      self.init(
        .forbidden,
        "the database refused this login",
        hint: "connect as fettle_admin; `fettle doctor` shows which rights are missing"
      )
    case .serializationFailure?, .deadlockDetected?:
      self.init(.unavailable, "others were writing the same records", hint: "try again")
    case .undefinedTable?, .invalidSchemaName?, .undefinedFunction?:
      self.init(.unavailable, "the database lacks what this program needs", hint: "run `fettle migrate`")
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
      self.init(.wrongState, error.message, hint: "let that one end, or cancel it, and try again")
    default:
      self.init(.internal, "the database refused a statement: \(error.message)")
    }
  }

  /// The columns of a constraint, derived from its name: `machine_code` is the code of a machine.
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
