/// What went wrong between a program and PostgreSQL.
///
/// The text never holds parameter values. ``detail`` can ("Key (email)=(…) already exists"), so
/// ``description`` leaves it out; show it only to those who may see the data.
public struct PostgresError: Error, Sendable {
  /// Who noticed, and thereby what can be done about it.
  public enum Kind: Sendable, Hashable {
    /// The server refused a statement; ``PostgresError/sqlState`` says why.
    case server
    /// There is no connection, or it broke; whatever was not committed is rolled back.
    case connection
    /// A result does not have the shape that was asked for.
    case decoding
    /// No connection of the pool became free in time.
    case poolTimeout
    /// The pool has been closed.
    case closed
    /// The connection broke while a commit was under way, and whether it took effect could not be found out.
    case unknownOutcome
    /// The task was cancelled; ``Database`` turns this into `CancellationError`.
    case cancelled
    /// The library was used in a way that it does not allow.
    case usage
  }

  private final class Storage: Sendable {
    let fields: PostgresErrorFields
    init(_ fields: PostgresErrorFields) { self.fields = fields }
  }

  // Behind one pointer, because a typed throw passes the error by value through every caller.
  private var storage: Storage

  init(_ fields: PostgresErrorFields) {
    storage = Storage(fields)
  }

  /// An error of this library or of a module that builds on it.
  public init(_ kind: Kind, _ message: String, sqlState: SQLState? = nil) {
    self.init(PostgresErrorFields(kind: kind, message: message, sqlState: sqlState))
  }

  /// Who noticed.
  public var kind: Kind { storage.fields.kind }
  /// One line that says what happened.
  public var message: String { storage.fields.message }
  /// The five characters by which SQL classifies errors, when the server sent them.
  public var sqlState: SQLState? { storage.fields.sqlState }
  /// The server's elaboration; it may quote values of rows.
  public var detail: String? { storage.fields.detail }
  /// The server's suggestion.
  public var hint: String? { storage.fields.hint }
  /// The constraint that was violated.
  public var constraint: String? { storage.fields.constraint }
  /// The schema of the table.
  public var schema: String? { storage.fields.schema }
  /// The table concerned.
  public var table: String? { storage.fields.table }
  /// The column concerned.
  public var column: String? { storage.fields.column }
  /// Where in ``statement`` the error lies, in characters counted from 1.
  public var position: Int? { storage.fields.position }
  /// The text of the failing statement, with `$n` in place of values.
  public var statement: String? { storage.fields.statement }

  var fields: PostgresErrorFields { storage.fields }

  /// The same error with some fields changed.
  func with(_ change: (inout PostgresErrorFields) -> Void) -> PostgresError {
    var fields = storage.fields
    change(&fields)
    return PostgresError(fields)
  }

  /// True when running the whole transaction again can succeed: a serialisation failure or a deadlock.
  public var isRetryable: Bool {
    sqlState == .serializationFailure || sqlState == .deadlockDetected
  }

  /// True when the cause passes without anybody changing anything: also lost connections, restarts, a full server.
  public var isTransient: Bool {
    if isRetryable || kind == .connection || kind == .poolTimeout { return true }
    guard let sqlState else { return false }
    return sqlState.isConnectionException || SQLState.transient.contains(sqlState)
  }
}

extension PostgresError: CustomStringConvertible {
  /// Message, SQLSTATE, constraint, hint and statement, without values.
  public var description: String {
    var text = message
    if let sqlState { text += " (SQLSTATE \(sqlState.rawValue))" }
    if let constraint { text += "; constraint \(constraint)" }
    if let hint { text += "; hint: \(hint)" }
    if let statement { text += "; in: \(statement)" }
    return text
  }
}
