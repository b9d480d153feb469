/// The wait after a failed attempt: exponential backoff with jitter, up to a maximum.
///
/// All retries use this rule, each with its own parameters.
package struct RetryPolicy: Sendable, Hashable {
  /// The nominal wait after the first failure; jitter scales it.
  package let base: Duration
  /// The factor by which the nominal wait grows after each further failure, at least 1.
  package let factor: Int
  /// The maximum nominal wait, at least ``base``.
  package let ceiling: Duration
  /// The range of the random factor by which the nominal wait is multiplied.
  package let jitter: ClosedRange<Double>

  /// The minimum wait after jitter, 50 milliseconds. It keeps a failing job from occupying a worker.
  package static let shortest = Duration.milliseconds(50)

  /// The policy of jobs: random waits of at most 1, 2, 4 … seconds, and at most an hour.
  package static let jobs = RetryPolicy(base: .seconds(1), ceiling: .seconds(3_600), jitter: 0...1)

  /// The policy of programs that ask for a retry, because what they need is not there: about 1, 2, 4 … minutes, at most
  /// an hour.
  package static let programs = RetryPolicy(base: .seconds(60), ceiling: .seconds(3_600), jitter: 1...1.2)

  /// The policy of events that a webhook's receiver did not take: about 2, 4, 8 … seconds, at most 12 hours. Twenty
  /// waits last three days.
  package static let webhooks = RetryPolicy(base: .seconds(2), ceiling: .seconds(43_200), jitter: 0.8...1.2)

  /// The policy of timers that fail: 5, 10, 20 … seconds, at most an hour, without jitter.
  package static let timers = RetryPolicy(base: .seconds(5), ceiling: .seconds(3_600), jitter: 1...1)

  /// Creates a policy.
  package init(base: Duration, factor: Int = 2, ceiling: Duration, jitter: ClosedRange<Double>) {
    self.base = base
    self.factor = max(1, factor)
    self.ceiling = max(base, ceiling)
    self.jitter = jitter
  }

  /// Returns the nominal wait after the n-th failed attempt, counted from 1.
  package func limit(afterAttempt attempt: Int) -> Duration {
    var limit = base
    // Bounds the loop: 63 doublings exceed every maximum.
    for _ in 0..<min(max(0, attempt - 1), 63) where limit < ceiling { limit = limit * factor }
    return min(limit, ceiling)
  }

  /// Returns the wait after the n-th failed attempt, counted from 1, with jitter.
  ///
  /// - Parameter random: selects the wait within the range of the jitter; at least 0 and less than 1.
  package func delay(afterAttempt attempt: Int, random: Double = .random(in: 0..<1)) -> Duration {
    let share = jitter.lowerBound + (jitter.upperBound - jitter.lowerBound) * random
    return max(Self.shortest, limit(afterAttempt: attempt) * share)
  }
}
