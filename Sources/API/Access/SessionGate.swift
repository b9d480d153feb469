internal import Domain
package import Engine
internal import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// Finds the caller of a request: by `Authorization`, else by a trusted proxy, else by the cookie.
package struct SessionGate: CallerGate {
  private let services: Services
  private let callers: Callers
  private let cache: CallerCache
  private let uses: CredentialUses
  private let check: CrossSiteCheck
  private let proxy: TrustedHeader?
  private let now: @Sendable () -> Instant

  /// - Parameters:
  ///   - uses: collects the times of last use; its owner records them.
  ///   - proxy: the authenticating proxy; nil for none.
  ///   - now: the clock.
  package init(
    _ services: Services,
    uses: CredentialUses,
    cache: CallerCache = CallerCache(),
    check: CrossSiteCheck = CrossSiteCheck(),
    proxy: TrustedHeader? = nil,
    now: @escaping @Sendable () -> Instant = { Self.clock }
  ) {
    self.services = services
    callers = Callers(services)
    self.cache = cache
    self.uses = uses
    self.check = check
    self.proxy = proxy
    self.now = now
  }

  /// The time of the machine.
  package static var clock: Instant {
    Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
  }

  package func caller(of request: APIRequest) async throws -> Caller? {
    let now = now()
    guard let (known, isAmbient) = try await known(request, at: now) else { return nil }
    if isAmbient {
      try check.require(request, subject: known.subject, keys: try services.keys().all(.session))
    }
    if let credential = known.acting.credential {
      uses.add(credential, company: known.acting.company.id, at: now)
    }
    return known.sending(request.id, at: now)
  }

  /// Returns the bearer of the request's credential, and true if browsers send that credential with the requests of
  /// every site.
  private func known(_ request: APIRequest, at now: Instant) async throws -> (Caller, Bool)? {
    if let authorization = try request.headers.single("authorization") {
      return (try await bearer(authorization, at: now), false)
    }
    if let proxy, proxy.isTrusted(request.peer), let user = try request.headers.single(proxy.user),
      !user.isEmpty
    {
      let company = try proxy.company.flatMap { try request.headers.single($0) }
      let caller = try await cache.caller("proxy\n\(user)\n\(company ?? "")", at: now) {
        try await callers.proxied(email: user, company: company)
      }
      return (caller, true)
    }
    guard let cookie = SessionCookie.value(of: request), !cookie.isEmpty else { return nil }
    guard let token = try? SessionToken.parse(cookie, from: .cookie) else {
      throw DomainError(.sessionExpired)  // a damaged cookie is a session that has ended
    }
    return (try await cache.caller(cookie, at: now) { try await callers.bearer(of: token) }, true)
  }

  private func bearer(_ authorization: String, at now: Instant) async throws -> Caller {
    let words = authorization.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      throw DomainError(
        .unauthenticated,
        "only bearer tokens are accepted",
        hint: "send `Authorization: Bearer TOKEN`"
      )
    }
    let text = String(words[1])
    if let token = try? SessionToken.parse(text, from: .bearer) {  // any other text is judged as an API token
      return try await cache.caller(text, at: now) { try await callers.bearer(of: token) }
    }
    return try await cache.caller(text, at: now) { try await callers.bearer(ofToken: text) }
  }
}
