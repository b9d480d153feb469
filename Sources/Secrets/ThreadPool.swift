internal import Glibc
internal import Synchronization

/// A bounded pool of threads for work of milliseconds that blocks or uses the CPU, so that the work never
/// occupies a thread of Swift's concurrency pool.
///
/// A thread starts when work arrives and fewer than `threads` are running. It ends when the queue is empty.
/// Starting a thread takes about 30 µs; an idle pool costs nothing.
package final class ThreadPool: Sendable {
  /// Queued work, which a thread runs or which is refused.
  private struct Work {
    var run: @Sendable () -> Void
    var refuse: @Sendable () -> Void
  }

  /// The state of the queue and the threads.
  private struct State {
    var running = 0
    var waiting: [Work] = []
  }

  private let state = Mutex(State())
  private let threads: Int
  private let queueLimit: Int

  /// The number of items that wait for a thread.
  package var waiting: Int { state.withLock(\.waiting.count) }

  /// Creates a pool of at most `threads` threads, at least 1, and at most `queueLimit` waiting items.
  package init(threads: Int, queueLimit: Int) {
    self.threads = max(1, threads)
    self.queueLimit = queueLimit
  }

  /// Runs the body on a thread of the pool and returns its result.
  ///
  /// Accepted work runs to its end even if the caller's task is cancelled.
  ///
  /// - Throws: `busy` at once if all threads are busy and the queue is full, so that requests do not pile up
  ///   behind work that an attacker can cause; also if no thread can be started.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(SecretsError) -> Value {
    let value: Value? = await withCheckedContinuation { continuation in
      submit(
        Work(
          run: { continuation.resume(returning: body()) },
          refuse: { continuation.resume(returning: nil) }
        )
      )
    }
    guard let value else {
      throw SecretsError(
        .busy,
        "all threads are busy and the queue is full",
        hint: "try again in a few seconds"
      )
    }
    return value
  }

  /// The decision about new work.
  private enum Admission { case start, wait, refuse }

  private func submit(_ work: Work) {
    let admission: Admission = state.withLock { state in
      if state.running < threads {
        state.running += 1
        return .start
      }
      guard state.waiting.count < queueLimit else { return .refuse }
      state.waiting.append(work)
      return .wait
    }
    switch admission {
    case .wait: break
    case .refuse: work.refuse()
    case .start:
      let isStarted = Thread.start {
        work.run()
        while let next = self.next() {
          next.run()
        }
      }
      if !isStarted { abandon(work) }
    }
  }

  /// Returns the oldest waiting work. If there is none, counts the calling thread as ended in the same step.
  private func next() -> Work? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.running -= 1
      return nil
    }
  }

  /// Refuses the work whose thread could not be started and, if no other thread is running, all waiting work.
  private func abandon(_ work: Work) {
    let stranded: [Work] = state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for refused in [work] + stranded {
      refused.refuse()
    }
  }
}

/// A detached POSIX thread.
private enum Thread {
  /// Carries the body through the pointer argument of the C function.
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread for the body.
  ///
  /// - Returns: false if the system could not start one.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let retained = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread,
      nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      },
      retained.toOpaque()
    )
    guard status == 0 else {
      retained.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
