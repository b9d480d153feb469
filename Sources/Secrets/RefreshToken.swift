package import FoundationEssentials

/// A refresh token of a mobile session, `ftr_<company and session>_<generation and code><checksum>`.
///
/// The token of a generation is derived from the key ``Keys/Purpose/session``, so the database holds nothing that
/// can be presented as one. The generation is in clear within the secret: four bytes, followed by 28 bytes of the
/// code.
package struct RefreshToken: Sendable, Equatable {
  private static let kind = ClearToken.Kind(prefix: "ftr_", noun: "refresh token")
  private static let codeCount = ClearToken.secretCount - 4

  private let token: ClearToken
  /// The generation that the token claims.
  package let generation: Int32

  private init(_ token: ClearToken, generation: Int32) {
    self.token = token
    self.generation = generation
  }

  /// Returns the token of a generation.
  ///
  /// - Parameter salt: the session's salt of 16 bytes.
  package static func derived(
    company: UUID,
    id: UUID,
    generation: Int32,
    salt: [UInt8],
    key: Keys.Version
  ) -> RefreshToken {
    let number = (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * Int32($0))) }
    let code = SessionSecret.code("refresh", id, generation, salt, key).prefix(codeCount)
    return RefreshToken(ClearToken(kind, company, id, secret: number + code), generation: generation)
  }

  /// Parses a token. Its code is judged by ``isGenuine(salt:keys:)``.
  ///
  /// - Throws: `malformedToken`, without naming the part that is wrong.
  package static func parse(_ text: String) throws(SecretsError) -> RefreshToken {
    let token = try ClearToken(kind, parsing: text)
    let number = token.secret?.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard let generation = number.flatMap(Int32.init(exactly:)), generation >= 1, generation < .max else {
      throw SecretsError(.malformedToken, "the refresh token is incomplete or mistyped")
    }
    return RefreshToken(token, generation: generation)
  }

  /// True if the token was derived with one of the versions of the key. Says nothing about its session.
  package func isGenuine(salt: [UInt8], keys: [Keys.Version]) -> Bool {
    keys.contains { key in
      let genuine = Self.derived(company: company, id: id, generation: generation, salt: salt, key: key)
      return constantTimeEqual(Array(text.utf8), Array(genuine.text.utf8))
    }
  }

  /// The company of the session.
  package var company: UUID { token.first }

  /// The id of the session's row.
  package var id: UUID { token.second }

  /// The whole token; never stored.
  package var text: String { token.text }
}

extension RefreshToken: CustomStringConvertible, CustomReflectable {
  /// The token without its secret, for logs.
  package var description: String { "refresh token \(generation) of session \(id)" }

  package var customMirror: Mirror { Mirror(self, children: ["id": id, "generation": generation]) }
}
