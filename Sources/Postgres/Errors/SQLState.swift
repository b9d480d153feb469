/// A five-character error code of the SQL standard and PostgreSQL.
///
/// ```swift
/// do {
///   try await database.execute("insert into account (email) values (\(email))")
/// } catch SQLState.uniqueViolation {
///   …
/// }
/// ```
///
/// The constants cover the codes that programs commonly react to. Create others from their characters:
/// `SQLState(rawValue: "42P17")`.
public struct SQLState: RawRepresentable, Sendable, Hashable {
  /// The five characters; the first two are the class.
  public let rawValue: String

  /// Creates a state from its five characters, which are not checked.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  private init(_ rawValue: String) {
    self.rawValue = rawValue
  }

  /// Returns true for a ``PostgresError`` of any kind with this state; for `catch` clauses.
  public static func ~= (state: SQLState, error: any Error) -> Bool {
    (error as? PostgresError)?.sqlState == state
  }

  /// True for class 08, connection exceptions.
  public var isConnectionException: Bool { rawValue.hasPrefix("08") }

  /// The states, besides those of ``PostgresError/isRetryable`` and class 08, after which a later attempt may
  /// succeed.
  static let transient: Set<SQLState> = [
    .adminShutdown, .crashShutdown, .cannotConnectNow, .tooManyConnections, .lockNotAvailable,
  ]

  /// 0A000: unsupported feature, or a cached plan that no longer fits.
  public static let featureNotSupported = SQLState("0A000")
  /// 22001: text longer than the column allows.
  public static let stringDataRightTruncation = SQLState("22001")
  /// 22003: a number outside the range of its type.
  public static let numericValueOutOfRange = SQLState("22003")
  /// 22008: a date or time outside the range of its type.
  public static let datetimeFieldOverflow = SQLState("22008")
  /// 22023: invalid parameter value of a function.
  public static let invalidParameterValue = SQLState("22023")
  /// 22P02: text that cannot be converted to the type.
  public static let invalidTextRepresentation = SQLState("22P02")
  /// 23001: a change of a row that another row references with `restrict`.
  public static let restrictViolation = SQLState("23001")
  /// 23502: a column that must not be null.
  public static let notNullViolation = SQLState("23502")
  /// 23503: a reference to a missing row, or the deletion of a referenced row.
  public static let foreignKeyViolation = SQLState("23503")
  /// 23505: a duplicate key.
  public static let uniqueViolation = SQLState("23505")
  /// 23514: a violated check constraint.
  public static let checkViolation = SQLState("23514")
  /// 23P01: a violated exclusion constraint.
  public static let exclusionViolation = SQLState("23P01")
  /// 25001: not allowed inside a transaction.
  public static let activeSQLTransaction = SQLState("25001")
  /// 25006: a write in a read-only transaction.
  public static let readOnlySQLTransaction = SQLState("25006")
  /// 25P02: a statement in an aborted transaction.
  public static let inFailedSQLTransaction = SQLState("25P02")
  /// 25P03: the transaction was idle for too long.
  public static let idleInTransactionSessionTimeout = SQLState("25P03")
  /// 26000: a prepared statement unknown to this server process.
  public static let invalidSQLStatementName = SQLState("26000")
  /// 28000: login not allowed.
  public static let invalidAuthorizationSpecification = SQLState("28000")
  /// 28P01: wrong password.
  public static let invalidPassword = SQLState("28P01")
  /// 3D000: no such database.
  public static let invalidCatalogName = SQLState("3D000")
  /// 3F000: no such schema.
  public static let invalidSchemaName = SQLState("3F000")
  /// 40001: the transaction conflicts with a concurrent one and may be repeated.
  public static let serializationFailure = SQLState("40001")
  /// 40P01: a deadlock; the transaction was chosen as the victim and may be repeated.
  public static let deadlockDetected = SQLState("40P01")
  /// 42501: insufficient privilege.
  public static let insufficientPrivilege = SQLState("42501")
  /// 42601: a syntax error.
  public static let syntaxError = SQLState("42601")
  /// 42703: no such column.
  public static let undefinedColumn = SQLState("42703")
  /// 42710: the object already exists.
  public static let duplicateObject = SQLState("42710")
  /// 42804: an expression of another type than the one required.
  public static let datatypeMismatch = SQLState("42804")
  /// 42883: no such function.
  public static let undefinedFunction = SQLState("42883")
  /// 42P01: no such table.
  public static let undefinedTable = SQLState("42P01")
  /// 42P05: the prepared statement already exists.
  public static let duplicatePreparedStatement = SQLState("42P05")
  /// 42P07: the table already exists.
  public static let duplicateTable = SQLState("42P07")
  /// 53100: the server's disk is full.
  public static let diskFull = SQLState("53100")
  /// 53300: too many connections.
  public static let tooManyConnections = SQLState("53300")
  /// 54000: a limit of the server was exceeded.
  public static let programLimitExceeded = SQLState("54000")
  /// 55000: the object is not in the state that the statement requires.
  public static let objectNotInPrerequisiteState = SQLState("55000")
  /// 55P03: a lock was not available in time.
  public static let lockNotAvailable = SQLState("55P03")
  /// 57014: the statement was cancelled, by request or by timeout.
  public static let queryCanceled = SQLState("57014")
  /// 57P01: the server is shutting down, or the connection was terminated.
  public static let adminShutdown = SQLState("57P01")
  /// 57P02: the server ends all connections because one of its processes crashed.
  public static let crashShutdown = SQLState("57P02")
  /// 57P03: the server is starting up.
  public static let cannotConnectNow = SQLState("57P03")
  /// P0001: raised by a PL/pgSQL function without a code of its own.
  public static let raiseException = SQLState("P0001")
}
