internal import Domain
internal import Jobs
internal import Store
internal import Webhooks

/// What came of one delivery to a utility.
enum PushResult: Sendable, Equatable {
  /// The utility has it, now or already, and perhaps gave a receipt.
  case taken(reference: String?)
  /// It may take it later.
  case again(String, after: Duration?)
  /// It will not take it however often it is asked.
  case refused(String)
  /// Nothing could be sent.
  case undeliverable(String)

  /// Judges an answer: 2xx and 409 (it has it already) are success; 408, 425, 429, 5xx and silence may pass; the
  /// rest will not.
  init(_ outcome: DeliveryOutcome) {
    let reason = outcome.reason ?? "no answer"
    switch outcome.verdict {
    case .delivered: self = .taken(reference: Self.reference(in: outcome.body))
    case .failed where outcome.status == 409: self = .taken(reference: Self.reference(in: outcome.body))
    case .retry(let after): self = .again(reason, after: after)
    case .failed: self = .refused(reason)
    }
  }

  /// The receipt: `ref` of a JSON object, if the answer is one.
  private static func reference(in body: [UInt8]) -> String? {
    guard let text = String(validating: body, as: UTF8.self),
      let object = (try? JSONValue(parsing: text))?.object  // an answer without a receipt is one too
    else { return nil }
    return switch object["ref"] {
    case .string(let text)?: String(text.prefix(200))
    case .number(let number)?: number.text
    default: nil
    }
  }
}
