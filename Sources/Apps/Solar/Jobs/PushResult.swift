internal import Domain
internal import Jobs
internal import Store
internal import Webhooks

/// The result of one delivery to a utility.
enum PushResult: Sendable, Equatable {
  /// The utility has received the recording, now or before. The reference is its receipt, if any.
  case taken(reference: String?)
  /// A later attempt may succeed, not before `after` if the utility sent a time.
  case again(String, after: Duration?)
  /// Further attempts cannot succeed.
  case refused(String)
  /// Nothing could be sent.
  case undeliverable(String)

  /// Classifies a response: 2xx and 409 (already received) are success; 408, 425, 429, 5xx and no response
  /// are retried; all others are permanent failures.
  init(_ outcome: DeliveryOutcome) {
    let reason = outcome.reason ?? "no answer"
    switch outcome.verdict {
    case .delivered: self = .taken(reference: Self.reference(in: outcome.body))
    case .failed where outcome.status == 409: self = .taken(reference: Self.reference(in: outcome.body))
    case .retry(let after): self = .again(reason, after: after)
    case .failed: self = .refused(reason)
    }
  }

  /// Returns the receipt of a response: `ref` of its JSON object, at most 200 characters; nil if there is
  /// none.
  private static func reference(in body: [UInt8]) -> String? {
    guard let text = String(validating: body, as: UTF8.self),
      let object = (try? JSONValue(parsing: text))?.object  // the receipt is optional
    else { return nil }
    return switch object["ref"] {
    case .string(let text)?: String(text.prefix(200))
    case .number(let number)?: number.text
    default: nil
    }
  }
}
