package import Domain

/// The configuration of the HTTP server of the API.
package struct HTTPConfiguration: Sendable {
  package let address: ListenAddress
  /// True to open any free port of the host if another process uses the port.
  package var takesAnotherPort: Bool
  /// The origin under which clients reach the server; nil if only this machine does.
  package var publicOrigin: PublicOrigin?
  /// The proxies whose `X-Forwarded-For` is believed.
  package var trustedProxies: [Network]
  /// The origins whose scripts may use the API, with credentials.
  package var allowedOrigins: [String]
  package var limits: HTTPLimits

  package init(
    _ address: ListenAddress,
    takesAnotherPort: Bool = false,
    publicOrigin: PublicOrigin? = nil,
    trustedProxies: [Network] = [],
    allowedOrigins: [String] = [],
    limits: HTTPLimits = HTTPLimits()
  ) {
    self.address = address
    self.takesAnotherPort = takesAnotherPort
    self.publicOrigin = publicOrigin
    self.trustedProxies = trustedProxies
    self.allowedOrigins = allowedOrigins
    self.limits = limits
  }
}
