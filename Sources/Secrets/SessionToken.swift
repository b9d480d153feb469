package import FoundationEssentials

/// The secret of a session, with the ids of its company and its row in clear: `ftc_…` in a cookie, `fta_…` as a
/// bearer token. Only its ``hash`` is stored.
package struct SessionToken: Sendable, Equatable {
  /// The place in which a client sends the token. A token of one place is refused in the other.
  package enum Carrier: Sendable, Hashable, CaseIterable {
    /// The cookie of a browser.
    case cookie
    /// The header `Authorization: Bearer`.
    case bearer

    fileprivate var kind: ClearToken.Kind {
      switch self {
      case .cookie: ClearToken.Kind(prefix: "ftc_", noun: "session")
      case .bearer: ClearToken.Kind(prefix: "fta_", noun: "access token")
      }
    }
  }

  /// The place in which the client sends it.
  package let carrier: Carrier
  private let token: ClearToken

  private init(_ carrier: Carrier, _ token: ClearToken) {
    self.carrier = carrier
    self.token = token
  }

  /// Creates a token with a new secret.
  package static func make(_ carrier: Carrier, company: UUID, id: UUID) -> SessionToken {
    SessionToken(carrier, ClearToken(carrier.kind, company, id))
  }

  /// Returns the access token of one generation of a mobile session. The same arguments give the same token, so
  /// that a lost answer can be given again.
  ///
  /// - Parameter salt: the session's salt of 16 bytes.
  package static func derived(
    company: UUID,
    id: UUID,
    generation: Int32,
    salt: [UInt8],
    key: Keys.Version
  ) -> SessionToken {
    let secret = SessionSecret.code("access", id, generation, salt, key)
    return SessionToken(.bearer, ClearToken(Carrier.bearer.kind, company, id, secret: secret))
  }

  /// Parses a token.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String, from carrier: Carrier) throws(SecretsError) -> SessionToken {
    SessionToken(carrier, try ClearToken(carrier.kind, parsing: text))
  }

  /// The company of the session.
  package var company: UUID { token.first }

  /// The id of the session's row.
  package var id: UUID { token.second }

  /// The whole token; never stored.
  package var text: String { token.text }

  /// The SHA-256 of the whole text; the only part of the token that is stored.
  package var hash: [UInt8] { token.hash }

  /// True if a stored hash is the hash of this token.
  package func matches(_ stored: [UInt8]) -> Bool { constantTimeEqual(hash, stored) }
}

extension SessionToken: CustomStringConvertible, CustomReflectable {
  /// The token without its secret, for logs.
  package var description: String { "session \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Derives the secrets of a mobile session: HMAC of the use, the session, its salt and the generation.
enum SessionSecret {
  static func code(_ use: String, _ id: UUID, _ generation: Int32, _ salt: [UInt8], _ key: Keys.Version)
    -> [UInt8]
  {
    let message = Array("\(use)\n\(id.uuidString.lowercased())\n\(generation)\n".utf8) + salt
    return HMACSHA256.code(for: message, key: key.bytes)
  }
}
