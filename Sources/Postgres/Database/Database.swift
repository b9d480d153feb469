/// A PostgreSQL database: a pool of connections and what can be done with one.
///
/// ```swift
/// let database = Database(.init(parameters: ["dbname": "library"]))
/// let titles = try await database.transaction { tx in
///   try tx.rows("select title from book where year > \(1990)", String.self)
/// }
/// await database.close()
/// ```
///
/// Connections are made when they are first needed.
public final class Database: Sendable {
  let configuration: Configuration
  let switches: Switches
  let listeners = Listeners()
  private let pool: Pool

  /// A database that is not yet connected to.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    switches = Switches(prepares: configuration.prepared)
    pool = Pool(configuration, switches: switches)
  }

  /// Runs a body as one transaction: commits when it returns, rolls back when it throws.
  ///
  /// The body is synchronous and runs on the thread of its connection. It is run again after a serialisation
  /// failure or a deadlock when ``TransactionOptions/retries`` allows, and, before the server has answered any
  /// of its statements, when a connection that lay idle turns out to be dead. Cancelling the task interrupts
  /// the statement under way, rolls back, and throws `CancellationError`. The body's own errors are passed on.
  @discardableResult
  public func transaction<T: Sendable>(
    _ options: TransactionOptions = TransactionOptions(),
    _ body: @Sendable (Transaction) throws -> T
  ) async throws -> T {
    var attempt = 0
    while true {
      do {
        return try await perform(options) { wire in try wire.transaction(options, body) }
      } catch let error as PostgresError where error.isRetryable && attempt < options.retries {
        attempt += 1
        // Twice the span each time, and a random part of it, so that the losers do not meet again.
        let span = 2_000 << min(attempt, 8)
        try await Task.sleep(for: .microseconds(Int.random(in: span / 2...span)))
      }
    }
  }

  /// Gives a body a connection of its own, outside the pool, which is closed afterwards.
  ///
  /// Meant for what leaves traces in a connection: advisory locks, `set`, several transactions under one lock,
  /// statements that refuse to run in a transaction.
  @discardableResult
  public func session<T: Sendable>(_ body: @Sendable (Session) throws -> T) async throws -> T {
    let connection = try Connection(configuration, switches: switches, isDirect: true)
    return try await cancellable {
      try await withTaskCancellationHandler {
        try await connection.performAlone(body)
      } onCancel: {
        connection.cancel(lease: 1)
      }
    }
  }

  /// How its pool is used at the moment.
  public var load: PoolLoad { pool.load }

  /// Ends listeners, closes idle connections, turns away those who wait for one, and returns when those in use
  /// have come back.
  public func close() async {
    await listeners.stopAll()
    await pool.close()
  }

  /// Runs `work` on a connection of the pool.
  func perform<T: Sendable>(
    _ options: TransactionOptions? = nil,
    _ work: @Sendable (Wire) throws -> T
  ) async throws -> T {
    let lease = try await pool.lease(key: options?.poolKey)
    let pool = self.pool
    return try await cancellable {
      try await withTaskCancellationHandler {
        try await lease.connection.perform(lease: lease, pool: pool, work)
      } onCancel: {
        lease.connection.cancel(lease: lease.number)
      }
    }
  }

  /// Turns this library's word for a cancelled task into Swift's.
  private func cancellable<T: Sendable>(_ work: () async throws -> T) async throws -> T {
    do {
      return try await work()
    } catch let error as PostgresError where error.kind == .cancelled {
      throw CancellationError()
    }
  }
}
