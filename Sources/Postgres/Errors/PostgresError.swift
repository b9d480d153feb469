/// An error of PostgreSQL, of the connection, or of this library.
///
/// ``message`` and ``description`` never contain parameter values. ``detail`` may ("Key (email)=(…) already
/// exists"), so ``description`` omits it; show it only to people who may see the data.
public struct PostgresError: Error, Sendable {
  /// The source of an error, which decides how to react to it.
  public enum Kind: Sendable, Hashable {
    /// The server refused a statement; ``PostgresError/sqlState`` contains the reason.
    case server
    /// No connection, or a broken one; uncommitted work has been rolled back.
    case connection
    /// A result does not have the requested shape.
    case decoding
    /// No connection of the pool became free in time.
    case poolTimeout
    /// The pool has been closed.
    case closed
    /// The connection broke during a commit, and its outcome could not be determined.
    case unknownOutcome
    /// The task was cancelled; ``Database`` turns this into `CancellationError`.
    case cancelled
    /// Incorrect use of this library.
    case usage
  }

  private final class Storage: Sendable {
    let fields: PostgresErrorFields
    init(_ fields: PostgresErrorFields) { self.fields = fields }
  }

  // One pointer in size: a typed throw passes the error by value through every caller.
  private var storage: Storage

  init(_ fields: PostgresErrorFields) {
    storage = Storage(fields)
  }

  /// Creates an error of this library or of a module that builds on it.
  ///
  /// - Parameters:
  ///   - kind: the source of the error.
  ///   - message: one line without parameter values.
  ///   - sqlState: of the server, if known.
  public init(_ kind: Kind, _ message: String, sqlState: SQLState? = nil) {
    self.init(PostgresErrorFields(kind: kind, message: message, sqlState: sqlState))
  }

  /// The source of the error.
  public var kind: Kind { storage.fields.kind }
  /// One line of description.
  public var message: String { storage.fields.message }
  /// The SQLSTATE, if the server sent one.
  public var sqlState: SQLState? { storage.fields.sqlState }
  /// The server's DETAIL; may contain row values.
  public var detail: String? { storage.fields.detail }
  /// The server's HINT.
  public var hint: String? { storage.fields.hint }
  /// The violated constraint.
  public var constraint: String? { storage.fields.constraint }
  /// The schema of the table.
  public var schema: String? { storage.fields.schema }
  /// The affected table.
  public var table: String? { storage.fields.table }
  /// The affected column.
  public var column: String? { storage.fields.column }
  /// The error's position in ``statement``, in characters from 1.
  public var position: Int? { storage.fields.position }
  /// The text of the failed statement, with `$n` in place of values.
  public var statement: String? { storage.fields.statement }

  var fields: PostgresErrorFields { storage.fields }

  /// The same error with some fields changed.
  func with(_ change: (inout PostgresErrorFields) -> Void) -> PostgresError {
    var fields = storage.fields
    change(&fields)
    return PostgresError(fields)
  }

  /// True if repeating the whole transaction can succeed: a serialisation failure or a deadlock.
  public var isRetryable: Bool {
    sqlState == .serializationFailure || sqlState == .deadlockDetected
  }

  /// True if the cause may be temporary: retryable errors, lost connections, restarts, a full server.
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
