/// How an attempt to deliver ended.
package struct DeliveryOutcome: Sendable, Equatable {
  /// What follows from it.
  package enum Verdict: Sendable, Equatable {
    /// The receiver took it (2xx).
    case delivered
    /// It may work later; not before `after`, if the receiver named a time.
    case retry(after: Duration?)
    /// It will not work however often it is tried.
    case failed
  }

  /// What follows from it.
  package let verdict: Verdict
  /// The HTTP status, if there was an answer.
  package let status: Int?
  /// The beginning of the answer's body.
  package let body: [UInt8]
  /// Whether the answer was longer.
  package let isBodyTruncated: Bool
  /// What went wrong, in a sentence; `nil` when delivered. Names no address, so it can be shown to the
  /// company whose webhook it is.
  package let reason: String?

  init(_ verdict: Verdict, reason: String) {
    self.verdict = verdict
    self.reason = reason
    status = nil
    body = []
    isBodyTruncated = false
  }

  /// The outcome of an answer; `retryAfter` in seconds, 0 if unknown.
  init(status: Int, body: [UInt8], isBodyTruncated: Bool, retryAfter: Int64) {
    self.status = status
    self.body = body
    self.isBodyTruncated = isBodyTruncated
    switch status {
    case 200..<300:
      verdict = .delivered
      reason = nil
    case 408, 425, 429, 500...:
      // A day is as long as anybody may put us off.
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
