internal import Domain

/// The cookie with a browser's session.
///
/// Its name begins with `__Host-`, so that browsers accept it only with TLS, for this host and for all paths. A
/// server that is reached by plain HTTP on loopback drops the prefix, because browsers would refuse the cookie.
package enum SessionCookie {
  /// Returns the name of the cookie under an origin.
  static func name(origin: String) -> String {
    isLoopback(origin) ? "fettle" : "__Host-fettle"
  }

  /// Returns the session in the cookies of a request; nil if there is none.
  static func value(of request: APIRequest) -> String? {
    RequestCookies.value(name(origin: request.origin), of: request)
  }

  /// Returns the header that stores a session.
  ///
  /// - Parameter seconds: the life of the session.
  static func setting(_ value: String, seconds: Int, origin: String) -> String {
    "\(name(origin: origin))=\(value); Path=/; Max-Age=\(seconds)\(attributes(origin))"
  }

  /// Returns the header that removes the session.
  package static func removal(origin: String) -> String {
    "\(name(origin: origin))=; Path=/; Max-Age=0\(attributes(origin))"
  }

  private static func attributes(_ origin: String) -> String {
    "\(isLoopback(origin) ? "" : "; Secure"); HttpOnly; SameSite=Lax"
  }

  static func isLoopback(_ origin: String) -> Bool {
    origin.hasPrefix("http://") && LocalHost.isNamed(inURL: origin)
  }
}
