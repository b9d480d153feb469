/// Decides when claims whose jobs are done are acknowledged: one request at a time, each for all of them.
struct AckState {
  typealias Instant = ContinuousClock.Instant

  /// The next step of the acknowledgement loop.
  enum Step: Equatable {
    case acknowledge
    case sleep(until: Instant)
    /// Until it is woken.
    case wait
  }

  private static let pause: Duration = .milliseconds(200)

  private var isPending = false
  private var isBusy = false

  /// Records that a claim can be acknowledged. Returns whether the loop has to be woken.
  mutating func claimEnded() -> Bool {
    defer { isPending = true }
    return !isPending && !isBusy
  }

  /// The next step when nothing is under way.
  mutating func next() -> Step {
    isBusy = isPending
    isPending = false
    return isBusy ? .acknowledge : .wait
  }

  /// Records a failed request, which is repeated after a pause.
  mutating func failed(at now: Instant) -> Step {
    isPending = true
    return .sleep(until: now + Self.pause)
  }
}
