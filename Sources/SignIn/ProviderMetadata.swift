internal import Domain

/// The part of a provider's discovery document that sign-in needs.
struct ProviderMetadata: Sendable {
  let authorizationEndpoint: String?
  let tokenEndpoint: String?
  let keysURL: String?
  /// True if the provider names itself in the answer to the browser (RFC 9207).
  let namesItself: Bool

  /// Reads a document.
  ///
  /// - Throws: `unavailable` if it is not JSON or of another issuer.
  init(_ document: [UInt8], of issuer: String) throws {
    guard let text = String(validating: document, as: UTF8.self),
      let object = (try? JSONValue(parsing: text))?.object,  // refused like another issuer's document
      object["issuer"]?.string == issuer
    else {
      throw DomainError(.unavailable, "the identity provider's discovery document is of another issuer")
    }
    func url(_ name: String) throws -> String? {
      try object[name]?.string.map { try ProviderURL.require($0, namedBy: issuer) }
    }
    authorizationEndpoint = try url("authorization_endpoint")
    tokenEndpoint = try url("token_endpoint")
    keysURL = try url("jwks_uri")
    namesItself = object["authorization_response_iss_parameter_supported"]?.bool ?? false
  }

  /// Returns the address of the document of an issuer.
  static func url(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }
}
