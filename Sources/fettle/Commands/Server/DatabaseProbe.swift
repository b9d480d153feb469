internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Synchronization

/// Asks the database at intervals whether it can be written, so that readiness costs requests nothing.
final class DatabaseProbe: Service {
  private let database: Database
  private let interval: Duration
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The time of the last question that a writable server answered; nil after another answer.
  private let answered = Mutex<ContinuousClock.Instant?>(nil)
  /// The age at which an answer says nothing any more.
  private static let validity: Duration = .seconds(5)

  init(
    _ database: Database,
    interval: Duration = .seconds(2),
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    logger: Logger
  ) {
    self.database = database
    self.interval = interval
    self.now = now
    self.logger = logger
  }

  /// True if a writable server was reached within five seconds.
  var isReady: Bool { answered.withLock { $0.map { now() - $0 < Self.validity } ?? false } }

  /// Asks until graceful shutdown or cancellation.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.ask()
        try? await Task.sleep(for: self.interval)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// Asks once. A pool in which no connection is free says nothing about the database, so a connection of its own asks.
  func ask() async {
    let asked = now()
    do {
      guard try await isWritable() else {
        throw PostgresError(.connection, "the server only reads")
      }
      answered.withLock { $0 = asked }
    } catch is CancellationError {
    } catch {
      if isReady { logger.warning("no writable database was reached", metadata: ["error": "\(error)"]) }
      answered.withLock { $0 = nil }
    }
  }

  private func isWritable() async throws -> Bool {
    let question: SQL = "select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'"
    do {
      return try await database.value(question, as: Bool.self)
    } catch let error as PostgresError where error.kind == .poolTimeout {
      return try await database.session { try $0.value(question, as: Bool.self) }
    }
  }
}
