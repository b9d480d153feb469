/// Decides when finished claims are acknowledged: one request at a time, each for all finished claims.
struct AckState {
  typealias Instant = ContinuousClock.Instant

  /// The next step of the acknowledgement loop.
  enum Step: Equatable {
    /// Send a request for all finished claims.
    case acknowledge
    /// Sleep after a failed request, then ask for the next step.
    case sleep(until: Instant)
    /// Wait until woken.
    case wait
  }

  /// The pause after a failed request.
  private static let pause: Duration = .milliseconds(200)

  /// True if a claim has ended since the last request began.
  private var isPending = false
  /// True while a request is under way.
  private var isBusy = false

  /// Records that a claim can be acknowledged. Returns true if the loop has to be woken.
  mutating func claimEnded() -> Bool {
    defer { isPending = true }
    return !isPending && !isBusy
  }

  /// Returns the next step. Called when no request is under way.
  mutating func next() -> Step {
    isBusy = isPending
    isPending = false
    return isBusy ? .acknowledge : .wait
  }

  /// Records a failed request, which is repeated after a pause of 200 milliseconds.
  mutating func failed(at now: Instant) -> Step {
    isPending = true
    return .sleep(until: now + Self.pause)
  }
}
