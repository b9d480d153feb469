/// The result of one delivery attempt.
package struct DeliveryOutcome: Sendable, Equatable {
  /// The next step after an attempt.
  package enum Verdict: Sendable, Equatable {
    /// The receiver accepted it (2xx).
    case delivered
    /// A later attempt may succeed; not before `after`, if the receiver sent a time.
    case retry(after: Duration?)
    /// No later attempt can succeed.
    case failed
  }

  /// The next step.
  package let verdict: Verdict
  /// The HTTP status, if there was a response.
  package let status: Int?
  /// The beginning of the response body.
  package let body: [UInt8]
  /// True if the response was longer.
  package let isBodyTruncated: Bool
  /// The reason of a failure; `nil` if delivered. Contains no address, so the company may see it.
  package let reason: String?

  init(_ verdict: Verdict, reason: String) {
    self.verdict = verdict
    self.reason = reason
    status = nil
    body = []
    isBodyTruncated = false
  }

  /// Returns the outcome of a response; `retryAfter` in seconds, 0 if unknown.
  init(status: Int, body: [UInt8], isBodyTruncated: Bool, retryAfter: Int64) {
    self.status = status
    self.body = body
    self.isBodyTruncated = isBodyTruncated
    switch status {
    case 200..<300:
      verdict = .delivered
      reason = nil
    case 408, 425, 429, 500...:
      // A receiver can defer the next attempt by a day at most.
      verdict = .retry(after: retryAfter > 0 ? .seconds(min(retryAfter, 86_400)) : nil)
      reason = "the receiver answered \(status)"
    case 300..<400:
      verdict = .failed
      reason = "the receiver answered \(status), and redirects are not followed"
    default:
      verdict = .failed
      reason = "the receiver answered \(status)"
    }
  }
}
