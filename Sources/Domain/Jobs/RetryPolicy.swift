/// When a job that failed is tried again.
///
/// The wait is drawn evenly between nothing and a limit that doubles with every attempt ("full jitter"), so that
/// jobs which failed together do not come back together.
package struct RetryPolicy: Sendable, Hashable, Codable {
  /// How often a job is tried in all.
  package let maximumAttempts: Int
  /// The limit after the first failure, in microseconds.
  package let base: Int64
  /// The largest limit, in microseconds.
  package let ceiling: Int64

  /// Five attempts, two seconds doubling up to an hour.
  package static let standard = RetryPolicy()

  /// Three attempts, for what a person waits for: uploads from devices and pushes to a utility.
  package static let impatient = RetryPolicy(maximumAttempts: 3)

  /// Puts a policy together; at least one attempt, and a ceiling not below the base.
  package init(
    maximumAttempts: Int = 5,
    base: Int64 = 2_000_000,
    ceiling: Int64 = 3_600_000_000
  ) {
    self.maximumAttempts = max(1, maximumAttempts)
    self.base = max(1, base)
    self.ceiling = max(self.base, ceiling)
  }

  /// The longest wait after so many failed attempts, counted from 1, in microseconds.
  package func limit(afterAttempt attempt: Int) -> Int64 {
    let doublings = min(max(0, attempt - 1), 62)
    let (limit, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(doublings))
    return overflow ? ceiling : min(limit, ceiling)
  }

  /// The wait after so many failed attempts; nil when that was the last one.
  package func delay(
    afterAttempt attempt: Int,
    using generator: inout some RandomNumberGenerator
  ) -> Int64? {
    guard attempt < maximumAttempts else { return nil }
    return Int64.random(in: 0...limit(afterAttempt: attempt), using: &generator)
  }
}
