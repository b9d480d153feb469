internal import Domain
internal import FoundationEssentials
internal import Secrets

/// The cookie with the refresh token of an app in a browser, whose scripts must not read it.
///
/// Each account has a cookie of its own, so that several people use one device. Browsers send it to the route that
/// refreshes, from pages of this server only. The prefix `__Secure-` makes them refuse one that came without TLS.
enum RefreshCookie {
  /// The only path to which browsers send the cookie.
  static let path = "/v1/auth/refresh"

  /// Returns the name of an account for the client: 16 hexadecimal digits, the same for a person in a company.
  static func account(company: UUID, user: UUID) -> String {
    Hex.encode(SHA256.hash("\(company.text)/\(user.text)").prefix(8))
  }

  /// Returns the name of an account if a text is one.
  ///
  /// - Throws: `invalid_input`.
  static func account(_ text: String) throws(DomainError) -> String {
    guard text.utf8.count == 16, Hex.decode(text) != nil else {
      throw DomainError(.invalidInput, "account is not one that a sign-in has named")
    }
    return text.lowercased()
  }

  /// Returns the refresh token that a request brings for an account; nil for none.
  static func value(of request: APIRequest, account: String) -> String? {
    RequestCookies.value(name(account, request.origin), of: request)
  }

  /// Returns the field `Set-Cookie` that stores a refresh token.
  static func setting(_ token: RefreshToken, account: String, origin: String) -> String {
    field(token.text, account, seconds: Int(SessionKind.mobile.idleSeconds), origin)
  }

  /// Returns the field `Set-Cookie` that removes an account's token.
  static func removal(account: String, origin: String) -> String { field("", account, seconds: 0, origin) }

  private static func field(_ value: String, _ account: String, seconds: Int, _ origin: String) -> String {
    let parts = [
      "\(name(account, origin))=\(value)", "Path=\(path)", "Max-Age=\(seconds)",
      SessionCookie.isLoopback(origin) ? nil : "Secure", "HttpOnly", "SameSite=Strict",
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  private static func name(_ account: String, _ origin: String) -> String {
    "\(SessionCookie.isLoopback(origin) ? "" : "__Secure-")fettle-refresh-\(account)"
  }
}

/// The cookies of a request.
package enum RequestCookies {
  /// Returns the first value of a cookie; nil if there is none.
  package static func value(_ name: String, of request: APIRequest) -> String? {
    for field in request.headers.all("cookie") {
      for pair in field.split(separator: ";") {
        let halves = pair.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
        if halves.count == 2, halves[0] == name[...] {
          return String(halves[1].filter { $0 != " " && $0 != "\"" })
        }
      }
    }
    return nil
  }
}
