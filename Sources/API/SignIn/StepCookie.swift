internal import Domain
internal import Secrets

/// The cookies of a sign-in in progress. A cookie alone gives no access: the server or the identity provider has the
/// other half of its secret.
///
/// The prefix `__Host-` makes browsers refuse a cookie that another host or an insecure page has set. An origin
/// without HTTPS, on this machine, has cookies without the prefix.
struct StepCookie {
  /// The kind of cookie.
  enum Kind: String {
    /// Ties a visit to an identity provider to the browser that began it.
    case visit = "fettle-sign-in"
    /// The token of a sign-in that waits for the second factor.
    case factor = "fettle-second-factor"
  }

  let kind: Kind
  /// The seconds after which the browser forgets the cookie.
  let life: Int
  /// True if the cookie has to come with a form that another site sends, as Apple's answer does.
  var isCrossSite = false

  /// Returns the value that a request brings; nil without the cookie.
  func value(of request: APIRequest) -> String? {
    let name = name(at: request.origin)
    for field in request.headers.all("cookie") {
      for pair in field.split(separator: ";") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        guard halves.count == 2, halves[0].drop(while: { $0 == " " }) == name else { continue }
        let value = String(halves[1])
        return Base64.decode(value, alphabet: .url) != nil || kind == .factor ? value : nil
      }
    }
    return nil
  }

  /// Returns the field `Set-Cookie` that stores a value, or with nil the one that removes it.
  func field(_ value: String?, origin: String) -> String {
    let isSecure = Self.isSecure(origin)
    let site = isCrossSite && isSecure ? "None" : "Lax"
    let parts = [
      "\(name(at: origin))=\(value ?? "")", "Path=/", "Max-Age=\(value == nil ? 0 : life)", "HttpOnly",
      isSecure ? "Secure" : nil, "SameSite=\(site)",
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  private func name(at origin: String) -> String {
    (Self.isSecure(origin) ? "__Host-" : "") + kind.rawValue
  }

  private static func isSecure(_ origin: String) -> Bool { origin.hasPrefix("https://") }
}
