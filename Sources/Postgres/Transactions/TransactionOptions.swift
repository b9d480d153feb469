public import FoundationEssentials

/// The options of a transaction; all of them end with it.
///
/// ```swift
/// let options = TransactionOptions(
///   isolation: .repeatableRead, statementTimeout: .seconds(5), settings: [.uuid("app.tenant", tenant)])
/// ```
///
/// Timeouts are rounded down to milliseconds, with a minimum of 1 ms and a maximum of about 24 days. `nil`
/// means the server's default for the user and database.
public struct TransactionOptions: Sendable {
  /// The isolation level.
  public enum Isolation: Sendable, Hashable {
    /// Each statement sees the data committed before it began.
    case readCommitted
    /// All statements see the data committed before the first one.
    case repeatableRead
    /// Transactions behave as if they ran one after the other; some fail with 40001 and have to be repeated.
    case serializable
  }

  /// The isolation level; `nil` for the server's default, usually ``Isolation/readCommitted``.
  public var isolation: Isolation?
  /// True to reject writes, with error 25006. Default: false.
  public var readOnly: Bool
  /// Maximum time for one statement; error 57014 after that.
  public var statementTimeout: Duration?
  /// Maximum time for one statement to wait for a lock; error 55P03 after that.
  public var lockTimeout: Duration?
  /// Maximum time between statements; after that, the server rolls back and closes the connection (25P03),
  /// and the next statement throws an error of kind ``PostgresError/Kind/connection``.
  public var idleTimeout: Duration?
  /// Server settings, which are made after the timeouts, in this order.
  public var settings: [TransactionSetting]
  /// Maximum number of repetitions of the body after 40001 or 40P01; it must be repeatable. Default: 0.
  ///
  /// Before the first repetition the task sleeps for 2 to 4 ms; the pause doubles each time, up to 256 to 512
  /// ms. Each repetition may use another connection of the pool.
  public var retries: Int
  /// True to fetch the transaction id with the first statement, so that the outcome of a commit can be
  /// queried after its response was lost; see <doc:Transactions>. This makes even a reading transaction use
  /// an id. Default: false.
  public var resolvesLostCommit: Bool
  /// True to roll back where the transaction would commit; see ``Rehearsal``.
  var rollsBack = false
  /// The key whose share of the pool is used, such as a tenant's id; see
  /// ``Database/Configuration/maxPerKey``. `nil` for no limit per key.
  public var poolKey: UUID?

  /// Creates options with the server's defaults, apart from the given ones.
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

  /// The statement of all settings; nil for none.
  var setting: SQL? {
    var all: [TransactionSetting] = []
    all.reserveCapacity(settings.count + 3)
    if let statementTimeout { all.append(.limit("statement_timeout", statementTimeout)) }
    if let lockTimeout { all.append(.limit("lock_timeout", lockTimeout)) }
    if let idleTimeout { all.append(.limit("idle_in_transaction_session_timeout", idleTimeout)) }
    all += settings
    return all.isEmpty ? nil : "select \(SQL.joined(all.map(\.call), separator: ", "))"
  }

  /// Returns the statement that limits the next statement to a duration, or to the transaction's own limit if
  /// that is shorter.
  func limiting(to limit: Duration) -> SQL {
    "select \(TransactionSetting.limit("statement_timeout", min(limit, statementTimeout ?? limit)).call)"
  }

  /// The statement that sets the transaction's own limit again.
  var unlimiting: SQL {
    guard let statementTimeout else { return "set local statement_timeout to default" }
    return limiting(to: statementTimeout)
  }
}
