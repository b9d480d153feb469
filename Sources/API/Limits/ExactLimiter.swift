package import Store

/// Limits attempts, for handlers: sign-in, codes, mails, refreshes.
///
/// ```swift
/// try await limiter.take(.signInAddress, request.networks.own)
/// try await limiter.take(.signIn, .account(address))
/// ```
///
/// Take the permit before the attempt, and take it for unknown accounts too: otherwise the limit tells which
/// accounts exist.
package protocol ExactLimiter: Sendable {
  /// Takes one permit of a rule.
  ///
  /// - Parameter subject: the account, session or network that the rule limits. It is stored as a keyed hash.
  /// - Throws: `rate_limited` with `retry_after` in the details, in seconds; `unavailable` if the database
  ///   does not answer.
  func take(_ rule: RateRule, _ subject: RateSubject) async throws
}
