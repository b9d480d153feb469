internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread that executes one actor, so that a blocking call inside the actor blocks nothing else.
///
/// Swift's cooperative threads must not block, and libpq is fastest if it may block.
final class PinnedThread: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isStopped = false
    var thread: pthread_t?
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Starts the thread.
  init() throws(PostgresError) {
    guard startThread(self, { $0.run() }) else {
      throw PostgresError(.connection, "cannot start a thread for a connection")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wakeUp.signal()
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  func checkIsolated() {
    precondition(
      state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false },
      "must run on the thread of a connection"
    )
  }

  /// Ends the thread after the jobs that it already has. Returns at once.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUp.signal()
  }

  private func run() {
    state.withLock { $0.thread = pthread_self() }
    while true {
      wakeUp.wait()
      let (jobs, isStopped) = state.withLock { state in
        defer { state.jobs.removeAll(keepingCapacity: true) }
        return (state.jobs, state.isStopped)
      }
      for job in jobs {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
      if isStopped && jobs.isEmpty { return }
    }
  }
}
