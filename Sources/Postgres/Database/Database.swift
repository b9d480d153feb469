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
/// All methods may be called from any number of tasks at once. Tasks that find no free connection wait in the
/// order of their arrival; with pool keys, the keys take turns. Close the database to end its threads; if it is released without ``close()``, its
/// connections are closed later.
public final class Database: Sendable {
  let configuration: Configuration
  /// State shared by all connections.
  let switches: Switches
  /// The running listeners, which ``close()`` ends.
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
  /// ```swift
  /// let balance = try await database.transaction(.init(isolation: .serializable, retries: 3)) { tx in
  ///   try tx.execute("update account set balance = balance - \(amount) where id = \(from)")
  ///   try tx.execute("update account set balance = balance + \(amount) where id = \(to)")
  ///   return try tx.value("select balance from account where id = \(from)", as: ExactDecimal.self)
  /// }
  /// ```
  ///
  /// The body is synchronous and runs on the thread of its connection. It runs again after a serialisation
  /// failure or a deadlock if ``TransactionOptions/retries`` allows it, and once if an idle connection turns
  /// out to be dead, or a prepared statement to be stale, before the server has answered any statement.
  ///
  /// Cancelling the task cancels the current statement, rolls back, and throws `CancellationError`. Code of
  /// the body is not interrupted: its next statement throws. While waiting for a connection, the task ends at
  /// once. While a connection is being opened, it ends only when that has succeeded or failed, after at most
  /// `connect_timeout` per host.
  ///
  /// - Parameters:
  ///   - options: isolation, timeouts, settings and retries.
  ///   - body: must change nothing outside the database, since it may run more than once.
  /// - Returns: the value of the body, after the commit was confirmed.
  /// - Throws: the error of the body unchanged, ``PostgresError``, or `CancellationError`. With kind
  ///   ``PostgresError/Kind/unknownOutcome`` the transaction may have been committed. If the body caught an
  ///   error of the server outside a ``Transaction/savepoint(_:)``, that error is thrown.
  @discardableResult
  public func transaction<T: Sendable>(
    _ options: TransactionOptions = TransactionOptions(),
    _ body: @Sendable (Transaction) throws -> T
  ) async throws -> T {
    var options = options
    options.rollsBack = Rehearsal.isOn
    var attempt = 0
    while true {
      do {
        return try await perform(options) { [options] wire in try wire.transaction(options, body) }
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
  /// ```swift
  /// try await database.session { session in
  ///   try session.execute("select pg_advisory_lock(42)")
  ///   try session.execute("vacuum book")
  /// }
  /// ```
  ///
  /// Each call opens a new connection with a thread of its own, beyond ``Configuration/poolSize``. The body
  /// runs once and is not repeated. ``close()`` neither waits for sessions nor prevents them.
  ///
  /// - Parameter body: synchronous; runs on the thread of its connection.
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, ``PostgresError``, or `CancellationError`.
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

  /// Closes the database. Ends listeners, closes idle connections, and fails waiting and later requests with
  /// ``PostgresError/Kind/closed``. Returns when the connections in use have been returned; running
  /// statements are not cancelled.
  public func close() async {
    await listeners.stopAll()
    await pool.close()
  }

  /// Runs `work` on a pooled connection. Cancelling the task cancels its statements.
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
