internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Secrets
internal import Store

/// Limits attempts at credentials, exactly for all processes: sign-in, codes, mails and refreshes.
///
/// The limits are taken before the handler runs, for unknown accounts too, so that they do not tell which
/// accounts exist.
package struct AttemptLimits: Sendable {
  /// The subject of a rule.
  private enum Subject: Sendable {
    /// The networks of the client.
    case network
    /// The account of the address in the body. Without a valid one, nothing is taken: the handler refuses.
    case account
    /// The session of the refresh token in the body. Without a valid one, nothing is taken: the handler refuses.
    case session
    /// The caller.
    case caller
  }

  private let limiter: any ExactLimiter

  package init(_ limiter: any ExactLimiter) {
    self.limiter = limiter
  }

  /// The rules by method and pattern.
  private static let rules: [String: [(RateRule, Subject)]] = [
    "POST /v1/auth/sign-in": [(.signInAddress, .network), (.signIn, .account)],
    "POST /v1/auth/sign-up": [(.signUp, .network)],
    "POST /v1/auth/guest": [(.signUp, .network)],
    "POST /v1/auth/visitor": [(.signUp, .network)],
    "POST /v1/auth/refresh": [(.refresh, .session)],
    // The database counts the codes of each account.
    "POST /v1/auth/second-factor": [(.codeAddress, .network)],
    "POST /v1/auth/password/reset-request": [(.mailAddress, .network), (.mail, .account)],
    "POST /v1/auth/password/reset": [(.codeAddress, .network)],
    "POST /v1/auth/verify/request": [(.mailAddress, .network), (.mail, .account)],
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
        body: route.body,
        onError: route.onError
      ) { [limiter] request in
        for (rule, subject) in rules {
          for (rule, subject) in try Self.limits(rule, subject, of: request) {
            try await limiter.take(rule, subject)
          }
        }
        return try await route.handler(request)
      }
    }
  }

  /// Returns the limits of a request by a rule, with their subjects.
  private static func limits(
    _ rule: RateRule,
    _ subject: Subject,
    of request: APIRequest
  ) throws -> [(RateRule, RateSubject)] {
    switch subject {
    case .network:
      let networks = request.networks
      return [(rule, networks.own)] + (networks.site.map { [(rule.ofSite, $0)] } ?? [])
    case .account:
      // As the handler reads it. A text that is no address is refused by the handler.
      let address = try request.json()["email"]?.string.flatMap { try? EmailAddress(parsing: $0) }
      return address.map { [(rule, .account($0))] } ?? []
    case .session:
      let token = try request.json()["refresh_token"]?.string.flatMap { try? RefreshToken.parse($0) }
      return token.map { [(rule, .id($0.id))] } ?? []
    case .caller: return request.caller.map { [(rule, .id($0.user))] } ?? []
    }
  }
}
