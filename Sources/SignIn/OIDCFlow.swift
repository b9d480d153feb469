package import Domain
internal import Secrets

/// Sign-in with a browser: the authorization code flow with PKCE (RFC 7636, S256), `state` and `nonce`.
package struct OIDCFlow: Sendable {
  /// The values that are kept between the visit to the provider and its answer.
  package struct Step: Sendable, Equatable {
    /// Names the step in the provider's answer. Only its hash is stored.
    package let state: String
    /// Comes back in the ID token. Only its hash is stored.
    package let nonce: String
    /// Proves that the code is used by the server that asked for it; stored encrypted.
    package let verifier: String

    /// Creates a step with 256 random bits for each value.
    ///
    /// - Parameter mark: the text with which the state begins. It comes back as it was sent, or the answer is refused.
    package static func random(marked mark: String = "") -> Step {
      Step(state: mark + text(), nonce: text(), verifier: text())
    }

    private static func text() -> String { Base64.encode(SecureRandom.bytes(32), alphabet: .url) }

    private init(state: String, nonce: String, verifier: String) {
      self.state = state
      self.nonce = nonce
      self.verifier = verifier
    }
  }

  /// The provider's answer to the browser.
  package struct Answer: Sendable {
    package let state: String
    package let code: String
    /// The issuer that the answer names (RFC 9207); nil if it names none.
    package let issuer: String?

    package init(state: String, code: String, issuer: String?) {
      self.state = state
      self.code = code
      self.issuer = issuer
    }
  }

  /// Returns the refusal for an answer without a code.
  ///
  /// - Parameter error: the error that the answer names, such as `access_denied`.
  package static func refusal(_ error: String?, by issuer: Issuer) -> DomainError {
    TokenRefusal(code: error ?? "no_code").error(of: issuer, at: "page")
  }

  private let provider: IdentityProvider
  /// The address to which the provider sends the browser back, exactly as it is registered there.
  private let redirect: String

  /// - Parameter redirect: the address to which the provider sends the browser back.
  package init(_ provider: IdentityProvider, redirect: String) {
    self.provider = provider
    self.redirect = redirect
  }

  /// Returns the address of the provider's sign-in page for a step.
  ///
  /// - Throws: `unavailable` if the provider's addresses are not known and cannot be fetched.
  package func authorizationURL(_ step: Step) async throws -> String {
    let issuer = provider.issuer
    let page = try await provider.cache.endpoints().authorization
    var query = [
      (name: "response_type", value: "code"), (name: "client_id", value: issuer.clientIDs.first ?? ""),
      (name: "redirect_uri", value: redirect), (name: "scope", value: issuer.scopes.joined(separator: " ")),
      (name: "state", value: step.state), (name: "nonce", value: step.nonce),
      (name: "code_challenge", value: Base64.encode(SHA256.hash(step.verifier), alphabet: .url)),
      (name: "code_challenge_method", value: "S256"),
    ]
    if issuer.answersByForm { query.append((name: "response_mode", value: "form_post")) }
    return page + (page.contains("?") ? "&" : "?") + FormCoding.encode(query)
  }

  /// Exchanges the code of an answer, and returns the person whom the provider identifies.
  ///
  /// - Parameters:
  ///   - verifier: the PKCE verifier of the step.
  ///   - nonceHash: the SHA-256 of the step's nonce.
  /// - Throws: `sign_in_refused` if the answer is of another issuer, or the provider refuses the code, or its ID
  ///   token is not accepted; `unavailable` if the provider does not answer.
  package func identity(_ answer: Answer, verifier: String, nonceHash: [UInt8]) async throws
    -> VerifiedIdentity
  {
    let endpoints = try await provider.cache.endpoints()
    // In a mix-up attack, the code of another provider would be sent to this one.
    if let named = answer.issuer {
      guard named == (try await provider.cache.spelling()) else { throw IDTokenFault.issuer.error }
    } else if endpoints.namesItself {
      throw IDTokenFault.issuer.error
    }
    let tokens = try await tokens(answer, verifier, endpoints)
    let identity = try await provider.verify(tokens.id, accessToken: tokens.access)
    guard constantTimeEqual(SHA256.hash(identity.nonce), nonceHash) else { throw IDTokenFault.nonce.error }
    return identity
  }

  /// Exchanges a code for the tokens of the person.
  private func tokens(
    _ answer: Answer,
    _ verifier: String,
    _ endpoints: KeySetCache.Endpoints
  ) async throws -> (id: String, access: String?) {
    let issuer = provider.issuer
    let form = [
      (name: "grant_type", value: "authorization_code"), (name: "code", value: answer.code),
      (name: "redirect_uri", value: redirect), (name: "code_verifier", value: verifier),
    ]
    let method = try ClientAuthentication.chosen(for: issuer, among: endpoints.tokenMethods)
    let answer = try await provider.client.send(
      method.request(
        endpoints.token,
        form: form,
        client: issuer.clientIDs.first ?? "",
        secret: try await ClientSecret.make(for: issuer, at: provider.now())
      )
    )
    guard answer.status < 500 else {
      throw DomainError(.unavailable, "the identity provider \(issuer.name) answered \(answer.status)")
    }
    guard answer.status == 200, let token = answer.json?["id_token"]?.string else {
      throw TokenRefusal(answer).error(of: issuer, at: "token")
    }
    return (token, answer.json?["access_token"]?.string)
  }
}
