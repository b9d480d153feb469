internal import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Synchronization

/// Asks the database at intervals whether it answers, so that readiness costs requests nothing.
final class DatabaseProbe: Service {
  private let database: Database
  private let interval: Duration
  private let logger: Logger
  private let answered = Mutex(false)

  init(_ database: Database, interval: Duration = .seconds(2), logger: Logger) {
    self.database = database
    self.interval = interval
    self.logger = logger
  }

  /// True if the database answered the last question.
  var isReady: Bool { answered.withLock(\.self) }

  /// Asks until graceful shutdown or cancellation.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.ask()
        try? await Task.sleep(for: self.interval)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// Asks once. A pool in which no connection is free says nothing about the database.
  func ask() async {
    do {
      _ = try await database.value("select 1", as: Int32.self)
      answered.withLock { $0 = true }
    } catch is CancellationError {
    } catch let error as PostgresError where error.kind == .poolTimeout {
    } catch {
      if isReady { logger.warning("the database does not answer", metadata: ["error": "\(error)"]) }
      answered.withLock { $0 = false }
    }
  }
}
