internal import Values

/// A cookie of the page's site.
package struct Cookie: Sendable, Hashable {
  package let name: String
  package let value: String
  package let isHTTPOnly: Bool
  package let sameSite: String

  package init(_ name: String, _ value: String, isHTTPOnly: Bool = false, sameSite: String = "Lax") {
    self.name = name
    self.value = value
    self.isHTTPOnly = isHTTPOnly
    self.sameSite = sameSite
  }
}

extension Browser {
  /// The cookies that the page's site has set, the hidden ones too.
  package var cookies: [Cookie] {
    get async throws {
      try await command("GET", "/cookie").array?.map { found in
        Cookie(
          found["name"]?.string ?? "",
          found["value"]?.string ?? "",
          isHTTPOnly: found["httpOnly"]?.bool ?? false,
          sameSite: found["sameSite"]?.string ?? ""
        )
      } ?? []
    }
  }

  /// Sets a cookie of the site whose page is open.
  package func set(_ cookie: Cookie) async throws {
    let members: JSONObject = [
      "name": .string(cookie.name), "value": .string(cookie.value), "path": "/",
      "httpOnly": .bool(cookie.isHTTPOnly), "sameSite": .string(cookie.sameSite),
    ]
    try await command("POST", "/cookie", ["cookie": .object(members)])
  }

  /// Removes the cookies of the site whose page is open.
  package func removeCookies() async throws { try await command("DELETE", "/cookie") }
}
