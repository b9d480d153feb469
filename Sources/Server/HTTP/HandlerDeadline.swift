internal import Synchronization

/// The time by which a handler must be done. The parts of a streamed body extend it.
final class HandlerDeadline: Sendable {
  private let time: Duration
  /// Nil while the handler waits for something to happen.
  private let at: Mutex<ContinuousClock.Instant?>

  init(_ time: Duration) {
    self.time = time
    at = Mutex(.now + time)
  }

  /// Gives the handler its full time again.
  func extend() { at.withLock { $0 = .now + time } }

  /// Stops the time of a handler that waits for something to happen, until ``extend()``.
  func suspend() { at.withLock { $0 = nil } }

  func isOver(at now: ContinuousClock.Instant) -> Bool { at.withLock { $0.map { $0 <= now } ?? false } }
}

/// Cancels the tasks of handlers whose time is over.
///
/// One loop checks all handlers, because a timer for each request would cost more than many requests do.
final class HandlerDeadlines: Sendable {
  private struct Contents {
    var last = 0
    var open: [Int: (deadline: HandlerDeadline, cancel: @Sendable () -> Void)] = [:]
  }

  private let contents = Mutex(Contents())

  /// Adds a handler; returns its number.
  func add(_ deadline: HandlerDeadline, cancel: @escaping @Sendable () -> Void) -> Int {
    contents.withLock { contents in
      contents.last += 1
      contents.open[contents.last] = (deadline, cancel)
      return contents.last
    }
  }

  /// Removes a handler that is done.
  func remove(_ number: Int) { contents.withLock { $0.open[number] = nil } }

  /// Cancels all handlers that are over time.
  func sweep(now: ContinuousClock.Instant = .now) {
    let over = contents.withLock { contents in
      let over = contents.open.filter { $0.value.deadline.isOver(at: now) }
      for number in over.keys { contents.open[number] = nil }
      return over.values.map(\.cancel)
    }
    for cancel in over { cancel() }
  }

  /// Sweeps until the task is cancelled.
  func run(every interval: Duration = .milliseconds(250)) async {
    while (try? await Task.sleep(for: interval)) != nil { sweep() }
  }
}
