internal import Domain
internal import Postgres
internal import Store

/// What follows from a failed attempt: why it failed, and when to try again, if ever.
struct FailureVerdict {
  let reason: String
  /// Nil: the job is dead.
  let retryAfter: Duration?

  init(_ error: any Error, attempt: Int, of maxAttempts: Int, random: Double = .random(in: 0..<1)) {
    let isLast = attempt >= maxAttempts
    switch error {
    case JobFailure.snooze(let time, let why):
      reason = why ?? "put off"
      retryAfter = time
    case JobFailure.permanent(let why):
      reason = why
      retryAfter = nil
    case JobFailure.temporary(let why, let after):
      reason = why
      retryAfter = isLast ? nil : after ?? Self.backoff(attempt, random)
    case let error as PostgresError:
      reason = DomainError(error).message
      retryAfter = isLast ? nil : Self.backoff(attempt, random)
    case let error as DomainError:
      reason = error.message
      retryAfter = isLast ? nil : Self.backoff(attempt, random)
    default:
      reason = "\(error)"
      retryAfter = isLast ? nil : Self.backoff(attempt, random)
    }
  }

  /// Exponential with full jitter: up to 1, 2, 4, 8 … seconds, at most an hour.
  private static func backoff(_ attempt: Int, _ random: Double) -> Duration {
    let ceiling = min(3_600, Double(1 << min(attempt - 1, 12)))
    return .milliseconds(Int64(max(0.05, ceiling * random) * 1_000))
  }
}
