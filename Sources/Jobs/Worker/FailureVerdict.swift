internal import Domain
internal import Postgres
internal import Store

/// The consequence of a failed attempt: the reason, and the time until the next attempt.
struct FailureVerdict {
  let reason: String
  /// Nil if the job becomes dead.
  let retryAfter: Duration?

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
