internal import Synchronization

/// Sends notifications at the pace of a ``NotifierRhythm``.
final class NotifierPace: Sendable {
  private let moment: JobNotifier.Moment
  private let rest: Duration
  private let rhythm = Mutex(NotifierRhythm())

  /// - Parameters:
  ///   - moment: the time at which a notification without a rest before it is sent.
  ///   - rest: the time after a notification in which further ones are merged into the next one.
  init(_ moment: JobNotifier.Moment, rest: Duration) {
    self.moment = moment
    self.rest = rest
  }

  /// Sends what the caller has noted, at once or together with the notes of later callers after the rest.
  ///
  /// - Parameter send: sends all notes so far.
  func notify(_ send: @escaping @Sendable () async -> Void) async {
    guard rhythm.withLock({ $0.notify() }) else { return }
    if moment == .beforeReturning { await send() }
    // The task outlives the caller: it also sends the notifications of later callers.
    Task {
      if moment == .inBackground { await send() }
      repeat {
        try? await Task.sleep(for: rest)  // never cancelled
        guard rhythm.withLock({ $0.rested() }) else { return }
        await send()
      } while true
    }
  }
}

/// Decides when to notify: at once when idle, and at the end of a rest if there were further calls.
struct NotifierRhythm {
  private enum Phase { case idle, resting, pending }

  private var phase = Phase.idle

  /// Records a call.
  ///
  /// - Returns: true to send now, and then rest.
  mutating func notify() -> Bool {
    guard phase == .idle else {
      phase = .pending
      return false
    }
    phase = .resting
    return true
  }

  /// Ends a rest.
  ///
  /// - Returns: true to send now, and then rest again.
  mutating func rested() -> Bool {
    guard phase == .pending else {
      phase = .idle
      return false
    }
    phase = .resting
    return true
  }
}
