/// A PostgreSQL database: a pool of connections, opened on demand.
///
/// ```swift
/// let database = Database(.init(parameters: ["dbname": "library"]))
/// let titles = try await database.transaction { tx in
///   try tx.rows("select title from book where year > \(1990)", String.self)
/// }
/// await database.close()
/// ```
///
/// May be used from any number of tasks. Close it to end its threads; an object that is released without
/// ``close()`` closes its connections later.
public final class Database: Sendable {
  let configuration: Configuration
  let switches: Switches
  let listeners = Listeners()
  private let pool: Pool

  /// Creates a database object; connections are opened at first use.
  ///
  /// - Parameter configuration: where to connect, and how many connections to use; see ``Configuration``.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    switches = Switches(prepares: configuration.prepared)
    pool = Pool(configuration, switches: switches)
  }

  /// Runs a body as one transaction: commits when it returns, rolls back when it throws.
  ///
  /// The body is synchronous and runs on the thread of its connection. It runs again after a serialisation
  /// failure or a deadlock if ``TransactionOptions/retries`` allows it, and if an idle connection turns out
  /// to be dead before the server has answered any statement. Cancelling the task cancels the current
  /// statement, rolls back, and throws `CancellationError`. Errors thrown by the body are rethrown unchanged.
  ///
  /// - Parameters:
  ///   - options: isolation, timeouts, settings and retries.
  ///   - body: must change nothing outside the database, since it may run more than once.
  /// - Returns: the value of the body, after the commit was confirmed.
  /// - Throws: the error of the body, ``PostgresError``, or `CancellationError`. With kind
  ///   ``PostgresError/Kind/unknownOutcome`` the transaction may have been committed.
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
        // Doubles the span for each attempt and picks a random part of it, so that the losers do not collide
        // again.
        let span = 2_000 << min(attempt, 8)
        try await Task.sleep(for: .microseconds(Int.random(in: span / 2...span)))
      }
    }
  }

  /// Lends a body a connection outside the pool, which is closed afterwards.
  ///
  /// For session state: advisory locks, `set`, several transactions under one lock, statements that cannot
  /// run in a transaction.
  ///
  /// - Returns: the value of the body.
  /// - Throws: the error of the body, ``PostgresError``, or `CancellationError`.
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

  /// The current use of the pool.
  ///
  /// A snapshot for metrics: it may have changed when it is read.
  public var load: PoolLoad { pool.load }

  /// Ends listeners, closes idle connections, fails waiting requests with ``PostgresError/Kind/closed``, and
  /// returns when connections in use have been returned.
  public func close() async {
    await listeners.stopAll()
    await pool.close()
  }

  /// Runs `work` on a pooled connection.
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

  /// Converts an error of kind ``PostgresError/Kind/cancelled`` to `CancellationError`.
  private func cancellable<T: Sendable>(_ work: () async throws -> T) async throws -> T {
    do {
      return try await work()
    } catch let error as PostgresError where error.kind == .cancelled {
      throw CancellationError()
    }
  }
}
