public import FoundationEssentials

/// The options of a transaction; all of them end with it.
///
/// ```swift
/// let options = TransactionOptions(
///   isolation: .repeatableRead, statementTimeout: .seconds(5), settings: [.uuid("app.tenant", tenant)])
/// ```
///
/// Timeouts are rounded down to milliseconds, with a minimum of 1 ms.
public struct TransactionOptions: Sendable {
  /// The isolation level.
  public enum Isolation: Sendable, Hashable {
    /// Each statement sees the data committed before it began.
    case readCommitted
    /// All statements see the data committed before the first one.
    case repeatableRead
    /// Transactions behave as if they ran one after the other; some have to be repeated.
    case serializable
  }

  /// The isolation level; `nil` for the server's default.
  public var isolation: Isolation?
  /// True to refuse writes.
  public var readOnly: Bool
  /// Maximum time for one statement; error 57014 after that.
  public var statementTimeout: Duration?
  /// Maximum time for one statement to wait for a lock; error 55P03 after that.
  public var lockTimeout: Duration?
  /// Maximum time between statements; the server closes the connection after that.
  public var idleTimeout: Duration?
  /// Server settings, sent as `SET LOCAL`.
  public var settings: [TransactionSetting]
  /// The maximum number of repetitions after 40001 or 40P01; the body must be repeatable.
  public var retries: Int
  /// True to fetch the transaction id, so that the outcome of a commit can be queried after its response was
  /// lost.
  public var resolvesLostCommit: Bool
  /// The key whose share of the pool is used; see ``Database/Configuration/maxPerKey``.
  public var poolKey: UUID?

  /// Makes options with the server's defaults, apart from the given ones.
  public init(
    isolation: Isolation? = nil,
    readOnly: Bool = false,
    statementTimeout: Duration? = nil,
    lockTimeout: Duration? = nil,
    idleTimeout: Duration? = nil,
    settings: [TransactionSetting] = [],
    retries: Int = 0,
    resolvesLostCommit: Bool = false,
    poolKey: UUID? = nil
  ) {
    self.isolation = isolation
    self.readOnly = readOnly
    self.statementTimeout = statementTimeout
    self.lockTimeout = lockTimeout
    self.idleTimeout = idleTimeout
    self.settings = settings
    self.retries = retries
    self.resolvesLostCommit = resolvesLostCommit
    self.poolKey = poolKey
  }

  /// The `begin` statement.
  var beginning: SQL {
    switch (isolation, readOnly) {
    case (nil, false): "begin"
    case (nil, true): "begin read only"
    case (.readCommitted, false): "begin isolation level read committed"
    case (.readCommitted, true): "begin isolation level read committed, read only"
    case (.repeatableRead, false): "begin isolation level repeatable read"
    case (.repeatableRead, true): "begin isolation level repeatable read, read only"
    case (.serializable, false): "begin isolation level serializable"
    case (.serializable, true): "begin isolation level serializable, read only"
    }
  }

  /// Calls `body` with each `set local` statement.
  func forEachSetting(_ body: (SQL) -> Void) {
    if let statementTimeout { body(Self.timeout("set local statement_timeout = ", statementTimeout)) }
    if let lockTimeout { body(Self.timeout("set local lock_timeout = ", lockTimeout)) }
    if let idleTimeout { body(Self.timeout("set local idle_in_transaction_session_timeout = ", idleTimeout)) }
    for setting in settings { body(setting.statement) }
  }

  private static func timeout(_ text: SQL, _ duration: Duration) -> SQL {
    var sql = text
    let (seconds, attoseconds) = duration.components
    // 0 would disable the timeout.
    let milliseconds = max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    sql.utf8.append(contentsOf: String(min(milliseconds, Int64(Int32.max))).utf8)
    return sql
  }
}
