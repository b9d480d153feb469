internal import Domain
internal import Webhooks

/// The meaning of an attempt for its event.
///
/// Every answer but 2xx and 410 is temporary: a receiver that restarts, moves or is set up wrongly answers 404, 401 or a
/// redirect, and the event must not be lost with it.
enum WebhookVerdict: Equatable {
  /// The receiver took the event (2xx).
  case delivered
  /// The receiver answered 410: it wants no more events.
  case gone
  /// A later attempt may succeed, after the given time.
  case retry(after: Duration)

  /// - Parameters:
  ///   - attempt: the number of the attempt, from 1.
  ///   - random: places the wait within its range; at least 0 and less than 1.
  init(_ outcome: DeliveryOutcome, attempt: Int, random: Double = .random(in: 0..<1)) {
    switch outcome.status {
    case .some(200..<300): self = .delivered
    case 410: self = .gone
    default:
      // A receiver can ask for a longer wait, but cannot use up the attempts with a shorter one.
      let wait = RetryPolicy.webhooks.delay(afterAttempt: attempt, random: random)
      self = .retry(after: max(wait, outcome.retryAfter ?? .zero))
    }
  }
}
