/// How many jobs a worker keeps at hand: about what it gets through in a moment, so that it neither waits for the
/// database nor hoards what others could do.
struct Pace: Sendable {
  /// For how long the jobs at hand are to last.
  private static let moment: Duration = .milliseconds(40)

  private let most: Int
  private var taken = 0
  private var since: ContinuousClock.Instant
  /// Jobs a second.
  private var rate = 0.0

  /// - Parameter most: never more than this.
  init(most: Int, now: ContinuousClock.Instant) {
    self.most = most
    since = now
  }

  /// How many jobs are to be at hand beside those that run, by what was taken so far: growing at once, shrinking by
  /// and by, and none where jobs take long.
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
