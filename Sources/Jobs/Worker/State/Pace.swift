/// Computes the number of jobs that a worker buffers: about 40 ms of work. With fewer it would wait for the
/// database; with more it would hold jobs that other workers could run.
struct Pace: Sendable {
  /// The time for which buffered jobs should last.
  private static let moment: Duration = .milliseconds(40)

  private let most: Int
  private var taken = 0
  private var since: ContinuousClock.Instant
  /// Jobs per second.
  private var rate = 0.0

  /// - Parameter most: upper limit of the target.
  init(most: Int, now: ContinuousClock.Instant) {
    self.most = most
    since = now
  }

  /// Returns the target number of buffered jobs, from the number taken so far. The target grows immediately
  /// and shrinks gradually; it is 0 if jobs take long.
  mutating func target(taken total: Int, now: ContinuousClock.Instant) -> Int {
    let time = (now - since) / .seconds(1)
    if time > 0.000_5 {
      let newest = Double(total - taken) / time
      rate = newest > rate ? newest : rate + (newest - rate) * min(1, time / 0.25)
      taken = total
      since = now
    }
    return min(most, Int(rate * (Self.moment / .seconds(1))))
  }
}
