internal import Domain

/// The part of a provider's discovery document that sign-in needs.
struct ProviderMetadata: Sendable {
  /// The issuer as the provider spells it: with a slash at the end or without.
  let issuer: String
  let authorizationEndpoint: String?
  let tokenEndpoint: String?
  let userinfoEndpoint: String?
  let keysURL: String?
  /// The ways in which clients prove themselves at the token endpoint.
  let tokenMethods: [String]
  /// The algorithms of the provider's ID tokens; empty if the document names none.
  let algorithms: [String]
  /// The claims that the provider announces; empty if the document names none.
  let claims: [String]
  /// True if the provider names itself in the answer to the browser (RFC 9207).
  let namesItself: Bool

  /// Reads a document.
  ///
  /// - Throws: `unavailable` if it is not JSON or of another issuer.
  init(_ document: [UInt8], of issuer: String) throws {
    guard let object = ProviderAnswer(status: 200, body: document).json,
      let own = object["issuer"]?.string
    else { throw DomainError(.unavailable, "the identity provider's discovery document cannot be read") }
    guard Issuer.isSame(own, issuer) else {
      throw DomainError(
        .unavailable,
        "the identity provider's discovery document is of another issuer: \(Quoted(own))",
        hint: "write the issuer of the document into the file of providers"
      )
    }
    func url(_ name: String) throws -> String? {
      try object[name]?.string.map { try ProviderURL.require($0, namedBy: issuer) }
    }
    func texts(_ name: String) -> [String]? { object[name]?.array?.compactMap(\.string) }
    self.issuer = own
    authorizationEndpoint = try url("authorization_endpoint")
    tokenEndpoint = try url("token_endpoint")
    userinfoEndpoint = try url("userinfo_endpoint")
    keysURL = try url("jwks_uri")
    // OpenID Connect Discovery 1.0, section 3: the default if the member is absent.
    tokenMethods = texts("token_endpoint_auth_methods_supported") ?? [ClientAuthentication.basic.rawValue]
    algorithms = texts("id_token_signing_alg_values_supported") ?? []
    claims = texts("claims_supported") ?? []
    namesItself = object["authorization_response_iss_parameter_supported"]?.bool ?? false
  }

  /// Returns the address of the document of an issuer.
  static func url(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }
}
