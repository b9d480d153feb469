internal import Dispatch
internal import Synchronization

/// Runs asynchronous work on a thread that may block: that of a connection, inside a transaction.
enum Waiting {
  /// Waits for the work, and throws its error.
  static func run(_ work: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    // The body of a transaction is synchronous and cannot await this task: it waits for the semaphore.
    Task {
      do { try await work() } catch { outcome.error.withLock { $0 = error } }
      done.signal()
    }
    done.wait()
    if let error = outcome.error.withLock(\.self) { throw error }
  }

  private final class Outcome: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }
}
