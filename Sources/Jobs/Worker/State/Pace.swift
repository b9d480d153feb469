/// Computes the number of jobs that a worker buffers: about 40 milliseconds of work. With fewer, the worker
/// would wait for the database; with more, it would hold jobs that other workers could run.
struct Pace: Sendable {
  /// The time for which buffered jobs should last.
  private static let moment: Duration = .milliseconds(40)

  /// Upper limit of the target.
  private let most: Int
  /// Number of jobs taken at the last measurement.
  private var taken = 0
  /// The time of the last measurement.
  private var since: ContinuousClock.Instant
  /// Jobs per second.
  private var rate = 0.0

  /// - Parameter most: upper limit of the target.
  init(most: Int, now: ContinuousClock.Instant) {
    self.most = most
    since = now
  }

  /// Returns the target number of buffered jobs. The target grows immediately and shrinks within about a
  /// quarter of a second; it is 0 if fewer than 25 jobs start per second.
  ///
  /// - Parameter total: number of jobs taken so far.
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
