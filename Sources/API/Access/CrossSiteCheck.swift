internal import Domain
internal import Secrets

/// Refuses changes that another site makes with a person's browser.
package struct CrossSiteCheck: Sendable {
  /// Further origins whose pages may send changes, such as `https://app.example`.
  let allowedOrigins: Set<String>

  package init(allowedOrigins: Set<String> = []) {
    self.allowedOrigins = allowedOrigins
  }

  /// Requires that a change with an ambient credential comes from a page of this server or an allowed one:
  /// `Sec-Fetch-Site: same-origin`, an allowed `Origin`, or else the session's token in `X-CSRF-Token`.
  ///
  /// - Parameter subject: the session.
  /// - Throws: `cross_site_request`.
  func require(_ request: APIRequest, subject: String, keys: [Keys.Version]) throws {
    guard !request.method.isSafe else { return }
    if try request.headers.single("sec-fetch-site") == "same-origin" { return }
    if let origin = try request.headers.single("origin"), isAllowed(origin, request) { return }
    if let token = try request.headers.single("x-csrf-token"),
      RequestForgeryToken.isValid(token, for: subject, keys: keys)
    {
      return
    }
    throw DomainError(.crossSiteRequest)
  }

  /// Requires that a request with a cookie comes from a script of a page of this server or an allowed one. Such a script
  /// sends `Sec-Fetch-Site` or `Origin`.
  ///
  /// - Throws: `cross_site_request`.
  package func requireOwnPage(_ request: APIRequest) throws {
    if try request.headers.single("sec-fetch-site") == "same-origin" { return }
    if let origin = try request.headers.single("origin"), isAllowed(origin, request) { return }
    throw DomainError(.crossSiteRequest)
  }

  /// Requires that a sign-in does not come from a page of another site, which could sign a person in as somebody
  /// else. A client that sends neither header is no browser.
  ///
  /// - Throws: `cross_site_request`.
  func requireNoOtherSite(_ request: APIRequest) throws {
    if let origin = try request.headers.single("origin"), isAllowed(origin, request) { return }
    let site = try request.headers.single("sec-fetch-site")
    guard request.headers["origin"] == nil, site == nil || site == "same-origin" || site == "none" else {
      throw DomainError(.crossSiteRequest)
    }
  }

  private func isAllowed(_ origin: String, _ request: APIRequest) -> Bool {
    origin == request.origin || allowedOrigins.contains(origin)
  }
}
