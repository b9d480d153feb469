/// The wait between failed attempts: exponential backoff with jitter, up to a maximum.
///
/// All backoff in the engine uses this rule: jobs, timers and pushes to utilities differ in their parameters
/// only.
package struct RetryPolicy: Sendable, Hashable {
  /// The nominal wait after the first failure.
  package let base: Duration
  /// The growth of the nominal wait with each further failure.
  package let factor: Int
  /// The largest nominal wait.
  package let ceiling: Duration
  /// The range from which the wait is drawn, as fractions of the nominal wait.
  package let jitter: ClosedRange<Double>

  /// The minimum wait, so that a failing job cannot occupy a worker.
  package static let shortest = Duration.milliseconds(50)

  /// For jobs: up to 1, 2, 4 … seconds, at most an hour, with full jitter.
  package static let jobs = RetryPolicy(base: .seconds(1), ceiling: .seconds(3_600), jitter: 0...1)

  /// For timers that cannot fire: 5, 10, 20 … seconds, at most an hour, without jitter.
  package static let timers = RetryPolicy(base: .seconds(5), ceiling: .seconds(3_600), jitter: 1...1)

  /// Creates a policy.
  package init(base: Duration, factor: Int = 2, ceiling: Duration, jitter: ClosedRange<Double>) {
    self.base = base
    self.factor = max(1, factor)
    self.ceiling = max(base, ceiling)
    self.jitter = jitter
  }

  /// Returns the nominal wait after a number of failed attempts, counted from 1.
  package func limit(afterAttempt attempt: Int) -> Duration {
    var limit = base
    // 63 doublings exceed every maximum.
    for _ in 0..<min(max(0, attempt - 1), 63) where limit < ceiling { limit = limit * factor }
    return min(limit, ceiling)
  }

  /// Returns the wait after a number of failed attempts, counted from 1.
  ///
  /// - Parameter random: at least 0 and less than 1.
  package func delay(afterAttempt attempt: Int, random: Double = .random(in: 0..<1)) -> Duration {
    let share = jitter.lowerBound + (jitter.upperBound - jitter.lowerBound) * random
    return max(Self.shortest, limit(afterAttempt: attempt) * share)
  }
}
