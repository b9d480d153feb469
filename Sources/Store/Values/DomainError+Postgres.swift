package import Domain
package import Postgres

extension DomainError {
  /// Converts a database error to one for the caller, without the texts of PostgreSQL and
  /// libpq: these quote statements, values, hosts and files.
  package init(_ error: PostgresError) {
    switch error.kind {
    case .connection where error.sqlState == .readOnlySQLTransaction:
      self.init(
        .unavailable,
        "the database is read-only: its primary moved, or the address is that of a standby",
        hint: "name all servers in DATABASE_URL, with target_session_attrs=read-write"
      )
      return
    case .connection, .poolTimeout:
      self.init(
        .unavailable,
        "the database did not answer\(Self.reason(error.message))",
        hint:
          "check that PostgreSQL runs and that DATABASE_URL or the PG* variables name it, then run `fettle doctor`"
      )
      return
    case .unknownOutcome:
      self.init(
        .outcomeUnknown,
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
        hint: "connect as fettle_admin, or as fettle_migrator to migrate; `fettle doctor` checks the rights"
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
      self.init(.invalidInput, Self.value(refusedWith: state))
    case let state? where state.rawValue.hasPrefix("28") || state.rawValue.hasPrefix("3D"):
      self.init(
        .unavailable,
        "the database refused the connection\(Self.reason(refusedWith: state))",
        hint: "check the user, the password and the database name"
      )
    case let state? where ["08", "53", "57"].contains(state.rawValue.prefix(2)):
      self.init(
        .unavailable,
        "the database is not available\(Self.reason(refusedWith: state))",
        hint: "try again in a moment"
      )
    case let state? where state.rawValue == "FT002":
      self.init(
        .invalidInput,
        "a record of \(error.table ?? "a table") has a status that its workflow does not allow",
        hint: "show the states with `fettle workflow show TYPE`"
      )
    case let state? where state.rawValue == "FT011":
      self.init(
        .wrongState,
        "another job with the same unique key is open",
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
      let state = error.sqlState.map { " (\($0.rawValue))" } ?? ""
      self.init(
        .internal,
        "the database refused a statement\(state)",
        hint: "read the reason in the server's log"
      )
    }
  }

  /// Returns the reason of a failed connection, recognised in the text of libpq; empty if it is unknown.
  private static func reason(_ text: String) -> String {
    let known = [
      ("Connection refused", "no server listens at its address"),
      ("No such file or directory", "there is no server at its socket"),
      ("could not translate host name", "its host name is unknown"), ("timeout", "it took too long"),
      ("password", "the password is missing or wrong"), ("certificate", "its certificate is not trusted"),
      ("SSL", "the encryption failed"), ("closed the connection", "it closed the connection"),
      ("pool", "all connections are in use"),
    ]
    return known.first { text.contains($0.0) }.map { ": \($0.1)" } ?? ""
  }

  /// Returns the reason of an unavailable server by its code; empty if it is unknown.
  private static func reason(refusedWith state: SQLState) -> String {
    switch state {
    case .invalidPassword: ": the user or the password is wrong"
    case .invalidAuthorizationSpecification: ": its pg_hba.conf does not admit this login"
    case .invalidCatalogName: ": there is no such database"
    case .tooManyConnections: ": all connections are in use"
    case .diskFull: ": its disk is full"
    case .adminShutdown, .crashShutdown, .cannotConnectNow: ": it is starting or stopping"
    default: " (\(state.rawValue))"
    }
  }

  /// Returns the message about a value that PostgreSQL refuses, by the code of class 22.
  private static func value(refusedWith state: SQLState) -> String {
    switch state.rawValue {
    case "22001": "a text is too long"
    case "22003": "a number is out of range"
    case "22007", "22008", "22009": "a date or time is not valid"
    case "22012": "a value would be divided by zero"
    case "22021", "22P05": "a text contains a character that cannot be stored"
    case "22023", "22P02", "22P03", "22030", "22032": "a value is not of the type of its column"
    case "2201B": "a regular expression is not valid"
    default: "a value is not valid"
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
