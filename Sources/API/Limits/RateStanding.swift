package import Store

/// The standing of a subject in a rate limit, as far as this process knows it.
package struct RateStanding: Sendable, Hashable {
  package let rule: RateRule
  /// The number of permits left, at least.
  package let remaining: Int
  /// Whole seconds until all permits have come back.
  package let resetSeconds: Int

  package init(_ rule: RateRule, remaining: Int, resetSeconds: Int) {
    self.rule = rule
    self.remaining = remaining
    self.resetSeconds = resetSeconds
  }

  /// Returns the fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers); none for an
  /// empty list.
  package static func headers(_ standings: [RateStanding]) -> APIHeaders {
    guard !standings.isEmpty else { return APIHeaders() }
    let policies = standings.map { "\"\($0.rule.name)\";q=\($0.rule.count);w=\($0.rule.period.wholeSeconds)" }
    let limits = standings.map { "\"\($0.rule.name)\";r=\($0.remaining);t=\($0.resetSeconds)" }
    return [
      "ratelimit-policy": policies.joined(separator: ", "), "ratelimit": limits.joined(separator: ", "),
    ]
  }
}

extension Duration {
  /// The duration in seconds, rounded up; 0 for a negative duration.
  var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return max(0, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
