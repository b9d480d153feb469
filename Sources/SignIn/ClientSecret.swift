internal import Domain
internal import Secrets

/// The client secret of a token request.
enum ClientSecret {
  /// Seconds for which a signed secret is valid. It is used at once.
  static let life: Int64 = 300

  /// Returns the secret; nil for a public client.
  ///
  /// - Parameter now: the Unix time in seconds.
  /// - Throws: `unavailable` if the configured key cannot sign.
  static func make(for issuer: Issuer, at now: Int64) async throws -> String? {
    switch issuer.proof {
    case .none: nil
    case .secret(let secret): secret.text
    case .key(let key): try signed(issuer, key, now)
    }
  }

  /// Returns the fault of a key; nil if it can sign.
  static func fault(in key: Issuer.ClientKey) -> String? {
    SigningKey(pem: key.pem.text) == nil ? "the key is not a private key for ES256 in PEM" : nil
  }

  private static func signed(_ issuer: Issuer, _ key: Issuer.ClientKey, _ now: Int64) throws -> String {
    let header: JSONObject = ["alg": "ES256", "kid": .string(key.id)]
    let claims: JSONObject = [
      "iss": .string(key.team), "iat": .integer(now), "exp": .integer(now + life),
      "aud": .string(issuer.issuer),
      "sub": .string(issuer.clientIDs.first ?? ""),
    ]
    let parts = [header, claims].map {
      Base64.encode(Array(JSONValue.object($0).text.utf8), alphabet: .url)
    }
    let message = parts.joined(separator: ".")
    guard let signature = SigningKey(pem: key.pem.text)?.sign(Array(message.utf8)) else {
      throw DomainError(.unavailable, "the client key for \(issuer.name) cannot sign")
    }
    return "\(message).\(Base64.encode(signature, alphabet: .url))"
  }
}
