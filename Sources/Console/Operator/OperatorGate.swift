package import API
internal import Domain
package import Engine

/// Finds no callers: the console has one session of its own, and no credential of a member means anything to it.
package struct OperatorGate: CallerGate {
  package init() {}

  package func caller(of request: APIRequest) async throws -> Caller? { nil }

  /// Requires that the request comes from this machine and names this machine.
  ///
  /// A page of another site can let its own name point to the loopback (DNS rebinding). The browser then takes this server
  /// for that site's, but sends the site's name as host.
  ///
  /// - Throws: `cross_site_request`.
  static func requireThisMachine(_ request: APIRequest) throws {
    guard let host = try request.headers.single("host"), let authority = URLAuthority(host),
      LocalHost.isNamed(by: authority.host), LocalHost.isNamed(by: request.peer)
    else { throw DomainError(.crossSiteRequest, "the operator's console answers this machine only") }
  }
}
