internal import Domain
internal import FoundationEssentials
internal import Store

/// Limits attempts at credentials, exactly for all processes: sign-in, codes, mails and refreshes.
///
/// The limits are taken before the handler runs, for unknown accounts too, so that they do not tell which
/// accounts exist.
package struct AttemptLimits: Sendable {
  /// The subject of a rule.
  private enum Subject: Sendable {
    /// The network of the client.
    case network
    /// The text of a member of the body, in lower case. Without it, nothing is taken: the handler refuses.
    case member(String)
    /// The ids in a token that is a member of the body: its text up to the last underscore.
    case token(String)
    /// The caller.
    case caller
  }

  private let limiter: any ExactLimiter

  package init(_ limiter: any ExactLimiter) {
    self.limiter = limiter
  }

  /// The rules by method and pattern.
  private static let rules: [String: [(RateRule, Subject)]] = [
    "POST /v1/auth/sign-in": [(.signInAddress, .network), (.signIn, .member("email"))],
    "POST /v1/auth/sign-up": [(.signUp, .network)],
    "POST /v1/auth/guest": [(.signUp, .network)],
    "POST /v1/auth/visitor": [(.signUp, .network)],
    "POST /v1/auth/refresh": [(.refresh, .token("refresh_token"))],
    "POST /v1/auth/second-factor": [(.codeAddress, .network), (.code, .member("step_token"))],
    "POST /v1/auth/password/reset-request": [(.mailAddress, .network), (.mail, .member("email"))],
    "POST /v1/auth/password/reset": [(.codeAddress, .network)],
    "POST /v1/auth/verify/request": [(.mailAddress, .network), (.mail, .member("email"))],
    "POST /v1/auth/verify": [(.codeAddress, .network)],
    "POST /v1/me/password": [(.code, .caller)],
    "POST /v1/me/totp/confirm": [(.code, .caller)],
    "POST /v1/me/companies": [(.signUp, .caller)],
    "POST /v1/me/hand-over": [(.code, .caller)],
  ]

  /// Returns the rules of a route. Other routes of sign-in are limited by the network.
  private static func rules(of route: Route) -> [(RateRule, Subject)] {
    if let known = rules["\(route.method.rawValue) \(route.pattern)"] { return known }
    let isSignIn = route.pattern.hasPrefix("/v1/auth/") || route.pattern.hasPrefix("/auth/")
    return isSignIn && !route.method.isSafe && route.pattern != "/v1/auth/sign-out"
      ? [(.signInAddress, .network)] : []
  }

  /// Returns the routes with their limits; other routes stay as they are.
  package func applied(to routes: [Route]) -> [Route] {
    routes.map { route in
      let rules = Self.rules(of: route)
      guard !rules.isEmpty else { return route }
      return Route(
        route.method,
        route.pattern,
        route.operation,
        admission: route.admission,
        body: route.body
      ) { [limiter] request in
        for (rule, subject) in rules {
          guard let subject = try Self.text(of: subject, in: request) else { continue }
          try await limiter.take(rule, subject)
        }
        return try await route.handler(request)
      }
    }
  }

  private static func text(of subject: Subject, in request: APIRequest) throws -> String? {
    switch subject {
    case .network: request.network
    case .member(let name): try request.json()[name]?.string?.lowercased()
    case .token(let name):
      try request.json()[name]?.string.flatMap { text in
        text.lastIndex(of: "_").map { String(text[..<$0]) }
      }
    case .caller: request.caller?.user.uuidString
    }
  }
}
