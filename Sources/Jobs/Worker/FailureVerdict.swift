internal import Domain
internal import Postgres
internal import Store

/// The consequence of a failed attempt: the reason, and the time until the next attempt.
///
/// A permanent failure and the last attempt make the job dead. Otherwise the time is the one that the error
/// gives, or the backoff of `RetryPolicy.jobs`.
struct FailureVerdict {
  /// The text that is stored with the attempt.
  let reason: String
  /// The time until the next attempt; nil if the job is dead.
  let retryAfter: Duration?

  /// - Parameters:
  ///   - error: the error of the handler or of the effects.
  ///   - attempt: the number of the attempt, from 1.
  ///   - maxAttempts: the number of failed attempts after which the job is dead.
  ///   - random: places the backoff within its range; at least 0 and less than 1.
  init(_ error: any Error, attempt: Int, of maxAttempts: Int, random: Double = .random(in: 0..<1)) {
    let isLast = attempt >= maxAttempts
    switch error {
    case JobFailure.snooze(let time, let why):
      reason = why ?? "postponed"
      retryAfter = time
    case JobFailure.permanent(let why):
      reason = why
      retryAfter = nil
    case JobFailure.temporary(let why, let after):
      reason = why
      retryAfter = isLast ? nil : after ?? RetryPolicy.jobs.delay(afterAttempt: attempt, random: random)
    case let error as PostgresError:
      reason = DomainError(error).message
      retryAfter = isLast ? nil : RetryPolicy.jobs.delay(afterAttempt: attempt, random: random)
    case let error as DomainError:
      reason = error.message
      retryAfter = isLast ? nil : RetryPolicy.jobs.delay(afterAttempt: attempt, random: random)
    default:
      reason = "\(error)"
      retryAfter = isLast ? nil : RetryPolicy.jobs.delay(afterAttempt: attempt, random: random)
    }
  }
}
