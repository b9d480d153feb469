/// An error of PostgreSQL, of the connection, or of this library.
///
/// ```swift
/// do {
///   try await database.execute("insert into account (email) values (\(email))")
/// } catch let error as PostgresError where error.constraint == "account_email_key" {
///   throw EmailTaken()
/// }
/// ```
///
/// This library writes no parameter values into errors. The server's ``message`` may quote a value that it
/// could not convert (`invalid input syntax for type uuid: "…"`), and ``detail`` may contain row values ("Key
/// (email)=(…) already exists"), so ``description`` omits the detail; show it only to people who may see the
/// data.
public struct PostgresError: Error, Sendable {
  /// The source of an error, which decides how to react to it.
  public enum Kind: Sendable, Hashable {
    /// The server rejected a statement; ``PostgresError/sqlState`` contains the reason.
    case server
    /// No connection, a broken one, or one to a server that only reads (SQLSTATE 25006): the primary has moved, or the
    /// address is that of a standby. Uncommitted work has been rolled back, and the whole transaction may be
    /// repeated.
    case connection
    /// A result does not have the requested shape: another type, an unexpected null, too few or too many
    /// columns, or no row.
    case decoding
    /// No connection of the pool became free within ``Database/Configuration/leaseTimeout``, or more requests
    /// waited than ``Database/Configuration/maxWaiting`` allows. Nothing was sent.
    case poolTimeout
    /// ``Database/close()`` was called before. Nothing was sent.
    case closed
    /// The connection broke during a commit, or during a statement outside a transaction, and the outcome
    /// could not be determined: the work may have taken effect. Check before you repeat it.
    case unknownOutcome
    /// The task was cancelled; the functions of ``Database`` throw `CancellationError` instead.
    case cancelled
    /// Incorrect use of this library, such as a statement after the end of the transaction: a mistake of the
    /// program.
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
  ///   - sqlState: the code of the server, if known.
  public init(_ kind: Kind, _ message: String, sqlState: SQLState? = nil) {
    self.init(PostgresErrorFields(kind: kind, message: message, sqlState: sqlState))
  }

  /// The source of the error.
  public var kind: Kind { storage.fields.kind }
  /// The reason in one line, in the server's language for errors of the server.
  public var message: String { storage.fields.message }
  /// The SQLSTATE; `nil` if the server sent none, as for a connection that broke without notice.
  public var sqlState: SQLState? { storage.fields.sqlState }
  /// The server's DETAIL; may contain row values. Not part of ``description``.
  public var detail: String? { storage.fields.detail }
  /// The server's HINT; `nil` if it sent none.
  public var hint: String? { storage.fields.hint }
  /// The name of the violated constraint; `nil` if the error concerns none.
  public var constraint: String? { storage.fields.constraint }
  /// The schema of ``table``.
  public var schema: String? { storage.fields.schema }
  /// The affected table, without its schema; `nil` if the error concerns none.
  public var table: String? { storage.fields.table }
  /// The affected column, such as that of a not-null violation; `nil` if the error concerns none.
  public var column: String? { storage.fields.column }
  /// The error's position in ``statement``, in characters from 1; sent for errors of syntax and unknown
  /// names.
  public var position: Int? { storage.fields.position }
  /// The error's position in ``innerStatement``, in characters from 1.
  public var innerPosition: Int? { storage.fields.innerPosition }
  /// The text of a statement that a function ran, if the error is in that statement.
  public var innerStatement: String? { storage.fields.innerStatement }
  /// The text of the failed statement, with `$n` in place of values; `nil` if the error concerns no
  /// statement.
  public var statement: String? { storage.fields.statement }

  var fields: PostgresErrorFields { storage.fields }

  /// Returns the same error with some fields changed.
  func with(_ change: (inout PostgresErrorFields) -> Void) -> PostgresError {
    var fields = storage.fields
    change(&fields)
    return PostgresError(fields)
  }

  /// True for 40001 and 40P01, a serialisation failure or a deadlock: the same transaction, repeated as a
  /// whole, can succeed. ``TransactionOptions/retries`` does this.
  public var isRetryable: Bool {
    sqlState == .serializationFailure || sqlState == .deadlockDetected
  }

  /// True if the cause may be temporary, so that a later attempt can succeed: retryable errors, lost
  /// connections, a pool without a free connection, a lock timeout (55P03), a shutdown or start of the
  /// server, too many connections.
  ///
  /// False for ``Kind/unknownOutcome``: the work may have been done already.
  public var isTransient: Bool {
    if isRetryable || kind == .connection || kind == .poolTimeout { return true }
    guard let sqlState else { return false }
    return sqlState.isConnectionException || SQLState.transient.contains(sqlState)
  }
}

extension PostgresError: CustomStringConvertible {
  /// Message, SQLSTATE, constraint, hint and statement in one line; neither values nor ``detail``.
  public var description: String {
    var text = message
    if let sqlState { text += " (SQLSTATE \(sqlState.rawValue))" }
    if let constraint { text += "; constraint \(constraint)" }
    if let hint { text += "; hint: \(hint)" }
    if let statement { text += "; in: \(statement)" }
    return text
  }
}
