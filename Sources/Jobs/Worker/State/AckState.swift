/// Decides when finished claims are acknowledged: one request at a time, each for all finished claims.
struct AckState {
  typealias Instant = ContinuousClock.Instant

  /// The next step of the acknowledgement loop.
  enum Step: Equatable {
    case acknowledge
    case sleep(until: Instant)
    /// Wait until woken.
    case wait
  }

  private static let pause: Duration = .milliseconds(200)

  private var isPending = false
  private var isBusy = false

  /// Records that a claim can be acknowledged. Returns true if the loop has to be woken.
  mutating func claimEnded() -> Bool {
    defer { isPending = true }
    return !isPending && !isBusy
  }

  /// Returns the next step when no request is under way.
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
