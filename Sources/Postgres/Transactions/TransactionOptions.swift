public import FoundationEssentials

/// How a transaction runs: all of it is local to the transaction and cannot leak to the next one.
public struct TransactionOptions: Sendable {
  /// What concurrent transactions may see of each other.
  public enum Isolation: Sendable, Hashable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// All statements see what was committed before the first.
    case repeatableRead
    /// As if transactions ran one after the other; some have to be retried.
    case serializable
  }

  /// The isolation level; `nil` leaves the server's default.
  public var isolation: Isolation?
  /// True refuses writes.
  public var readOnly: Bool
  /// How long one statement may take; 57014 after that.
  public var statementTimeout: Duration?
  /// How long one statement may wait for a lock; 55P03 after that.
  public var lockTimeout: Duration?
  /// How long the transaction may be left without a statement; the server closes the connection after that.
  public var idleTimeout: Duration?
  /// Settings for this transaction, each sent as `SET LOCAL`.
  public var settings: [TransactionSetting]
  /// How often the body is run again after 40001 or 40P01; it must then be repeatable.
  public var retries: Int
  /// Whether the transaction's id is fetched, so that a lost answer to COMMIT can be asked for again.
  public var resolvesLostCommit: Bool
  /// Whose share of the pool the transaction uses; see ``Database/Configuration/maxPerKey``.
  public var poolKey: UUID?

  /// A transaction with the server's defaults, apart from what is given.
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

  /// The statement that begins such a transaction.
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

  /// The statements that follow it.
  func forEachSetting(_ body: (SQL) -> Void) {
    if let statementTimeout { body(Self.timeout("set local statement_timeout = ", statementTimeout)) }
    if let lockTimeout { body(Self.timeout("set local lock_timeout = ", lockTimeout)) }
    if let idleTimeout { body(Self.timeout("set local idle_in_transaction_session_timeout = ", idleTimeout)) }
    for setting in settings { body(setting.statement) }
  }

  private static func timeout(_ text: SQL, _ duration: Duration) -> SQL {
    var sql = text
    let (seconds, attoseconds) = duration.components
    // 0 would switch the timeout off.
    let milliseconds = max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    sql.utf8.append(contentsOf: String(min(milliseconds, Int64(Int32.max))).utf8)
    return sql
  }
}
