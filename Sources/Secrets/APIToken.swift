package import FoundationEssentials

/// An API token, `ftl_<company and id>_<secret><checksum>`. Only its ``hash`` is stored.
package struct APIToken: Sendable, Equatable {
  private static let kind = ClearToken.Kind(prefix: "ftl_", noun: "API token")

  private let token: ClearToken

  private init(_ token: ClearToken) { self.token = token }

  /// Creates a token with a new secret.
  package static func make(company: UUID, id: UUID) -> APIToken {
    APIToken(ClearToken(kind, company, id))
  }

  /// Parses a token.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> APIToken {
    APIToken(try ClearToken(kind, parsing: text))
  }

  /// The company in which the token acts.
  package var company: UUID { token.first }

  /// The id of the token's row.
  package var id: UUID { token.second }

  /// The whole token; shown once, never stored.
  package var text: String { token.text }

  /// The SHA-256 of the whole text; the only part of the token that is stored.
  package var hash: [UInt8] { token.hash }

  /// True if a stored hash is the hash of this token.
  package func matches(_ stored: [UInt8]) -> Bool { constantTimeEqual(hash, stored) }
}

extension APIToken: CustomStringConvertible, CustomReflectable {
  /// The token without its secret, for logs.
  package var description: String { "API token \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
