internal import Domain
internal import Secrets

/// The way in which this server proves at the token endpoint that it is the client, by a secret (OpenID Connect Core
/// 1.0, section 9).
package enum ClientAuthentication: String, Sendable, CaseIterable {
  /// In the header `Authorization`. Every provider must support it (RFC 6749, section 2.3.1).
  case basic = "client_secret_basic"
  /// In the form.
  case post = "client_secret_post"

  /// Returns the way to use at a provider: the operator's choice, else the first of these that the provider takes.
  ///
  /// - Parameter methods: the methods of the discovery document; nil without one.
  /// - Throws: `unavailable` if the provider takes other ways only.
  static func chosen(for issuer: Issuer, among methods: [String]?) throws(DomainError) -> ClientAuthentication
  {
    if let configured = issuer.authentication { return configured }
    // A public client sends its id only, in the form.
    guard let methods, issuer.proof != .none else { return .basic }
    if let found = allCases.first(where: { methods.contains($0.rawValue) }) { return found }
    throw DomainError(
      .unavailable,
      "the identity provider \(issuer.name) takes no client secret, but only \(methods.joined(separator: ", "))",
      hint: "choose client_secret_basic or client_secret_post for this client at the provider"
    )
  }

  /// Returns a request with the form and the proof of the client.
  ///
  /// - Parameter secret: the secret; nil for a public client, which names itself only.
  func request(
    _ url: String,
    form: [(name: String, value: String)],
    client: String,
    secret: String?
  ) -> ProviderRequest {
    let name = (name: "client_id", value: client)
    guard let secret else { return ProviderRequest(url, form: form + [name]) }
    switch self {
    case .post: return ProviderRequest(url, form: form + [name, (name: "client_secret", value: secret)])
    case .basic:
      // Both halves are encoded as in a form, so that a colon in the id does not end it.
      let pair = "\(client.percentEncoded):\(secret.percentEncoded)"
      let authorization = "Basic \(Base64.encode(Array(pair.utf8)))"
      return ProviderRequest(url, form: form, authorization: authorization)
    }
  }
}
