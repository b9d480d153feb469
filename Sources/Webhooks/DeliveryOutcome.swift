/// The result of one delivery attempt.
package struct DeliveryOutcome: Sendable, Equatable {
  /// The next step after an attempt.
  package enum Verdict: Sendable, Equatable {
    /// The receiver accepted the delivery (status 2xx).
    case delivered
    /// A later attempt may succeed. It waits at least `after`, if the receiver sent a time.
    case retry(after: Duration?)
    /// No later attempt can succeed.
    case failed
  }

  /// The next step after the attempt.
  package let verdict: Verdict
  /// The HTTP status; nil if there was no response.
  package let status: Int?
  /// The beginning of the response body; empty if there was none.
  package let body: [UInt8]
  /// True if the response body was longer than the limit.
  package let isBodyTruncated: Bool
  /// The reason of a failure; nil if delivered. It contains no IP address, so the company may see it.
  package let reason: String?
  /// The time that the receiver asks to wait, at most a day; nil if it sent none.
  package let retryAfter: Duration?
  /// True if the receiver was asked, so that the outcome tells something about it.
  package let isAttempted: Bool

  /// Creates the outcome of an attempt without a response.
  ///
  /// - Parameter isAttempted: true if the receiver did not respond; false if it was not asked.
  init(_ verdict: Verdict, reason: String, isAttempted: Bool = false) {
    self.verdict = verdict
    self.reason = reason
    self.isAttempted = isAttempted
    status = nil
    body = []
    isBodyTruncated = false
    retryAfter = nil
  }

  /// Creates the outcome of a response.
  ///
  /// - Parameter retryAfter: the time that the receiver asks to wait, in seconds; 0 if unknown.
  init(status: Int, body: [UInt8], isBodyTruncated: Bool, retryAfter: Int64) {
    self.status = status
    self.body = body
    self.isBodyTruncated = isBodyTruncated
    isAttempted = true
    // A receiver can postpone the next attempt by at most a day.
    self.retryAfter = retryAfter > 0 ? .seconds(min(retryAfter, 86_400)) : nil
    switch status {
    case 200..<300:
      verdict = .delivered
      reason = nil
    case 408, 425, 429, 500...:
      verdict = .retry(after: self.retryAfter)
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
