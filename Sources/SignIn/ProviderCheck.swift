internal import Domain

/// Walks through what a sign-in needs of an identity provider, and says what is wrong.
///
/// No person signs in: the token endpoint gets a code that nobody has issued, and the kind of its refusal shows whether
/// it accepts this server as the client.
package struct ProviderCheck: Sendable {
  /// The state of a step.
  package enum State: String, Sendable {
    case ok
    case warning
    case failed
  }

  /// The result of a step.
  package struct Finding: Sendable, Equatable {
    /// The step, such as `discovery`.
    package let step: String
    package let state: State
    package let text: String
    /// The action that resolves it; nil if there is none.
    package let remedy: String?

    init(_ step: String, _ state: State, _ text: String, _ remedy: String? = nil) {
      self.step = step
      self.state = state
      self.text = text
      self.remedy = remedy
    }
  }

  private let provider: IdentityProvider
  private let redirect: String
  private var issuer: Issuer { provider.issuer }

  /// - Parameter origin: the origin under which people reach this server.
  package init(_ provider: IdentityProvider, origin: String) {
    self.provider = provider
    redirect = "\(origin)/v1/auth/\(provider.issuer.name)/callback"
  }

  /// Runs the steps in order. Those that need the result of a failed one are left out.
  package func run() async -> [Finding] {
    var findings: [Finding] = []
    var metadata: ProviderMetadata?
    if issuer.endpoints.needDiscovery {
      do {
        let url = ProviderMetadata.url(of: issuer.issuer)
        let read = try await ProviderMetadata(provider.client.document(url), of: issuer.issuer)
        findings += discovery(read)
        metadata = read
      } catch {
        let cause = Self.text(of: error)
        return [Finding("discovery", .failed, cause.text, discoveryRemedy(cause))]
      }
    } else {
      findings.append(Finding("discovery", .ok, "not needed: the file names every address"))
    }
    findings.append(await keys(metadata))
    findings.append(await client(metadata))
    findings.append(userinfo(metadata))
    return findings
  }

  private func discovery(_ metadata: ProviderMetadata) -> [Finding] {
    var findings = [Finding("discovery", .ok, "the issuer is \(metadata.issuer)")]
    if (issuer.endpoints.authorization ?? metadata.authorizationEndpoint) == nil {
      findings.append(Finding("discovery", .failed, "it names no authorization_endpoint"))
    }
    let known = metadata.algorithms
    if !known.isEmpty, !known.contains(where: { issuer.algorithms.map(\.rawValue).contains($0) }) {
      findings.append(
        Finding(
          "discovery",
          .failed,
          "its ID tokens are signed with \(known.joined(separator: ", ")) only",
          "let the provider sign with a key for RS256 or ES256"
        )
      )
    }
    return findings
  }

  private func discoveryRemedy(_ cause: (text: String, hint: String?)) -> String {
    if cause.text.contains("{") { return "name the issuer of your tenant, not that of all tenants" }
    return cause.hint ?? "open \(ProviderMetadata.url(of: issuer.issuer)) from this machine"
  }

  private func keys(_ metadata: ProviderMetadata?) async -> Finding {
    guard let url = issuer.endpoints.keys ?? metadata?.keysURL else {
      return Finding("keys", .failed, "the discovery document names no jwks_uri", "name jwks_uri in the file")
    }
    do {
      let set = try await KeySet(provider.client.document(url))
      let usable = set.all.filter { issuer.algorithms.contains($0.algorithm) }
      guard !usable.isEmpty else {
        return Finding(
          "keys",
          .failed,
          "the provider publishes no key for RS256 or ES256",
          "choose such a signing key for this client at the provider"
        )
      }
      let names = Set(usable.map(\.algorithm.rawValue)).sorted().joined(separator: ", ")
      let nameless = set.namelessCount > 0 ? ", \(set.namelessCount) without an id" : ""
      return Finding("keys", .ok, "\(usable.count) for \(names)\(nameless)")
    } catch {
      return Finding("keys", .failed, Self.text(of: error).text, "open \(url) from this machine")
    }
  }

  private func client(_ metadata: ProviderMetadata?) async -> Finding {
    guard let endpoint = issuer.endpoints.token ?? metadata?.tokenEndpoint else {
      return Finding("client", .failed, "the discovery document names no token_endpoint")
    }
    do {
      let method = try ClientAuthentication.chosen(for: issuer, among: metadata?.tokenMethods)
      return try await client(at: endpoint, method, announced: metadata?.tokenMethods)
    } catch {
      let cause = Self.text(of: error)
      return Finding("client", .failed, cause.text, cause.hint)
    }
  }

  private func client(
    at endpoint: String,
    _ method: ClientAuthentication,
    announced: [String]?
  ) async throws -> Finding {
    let name = issuer.proof == .none ? "without a secret" : "with \(method.rawValue)"
    let refusal = TokenRefusal(try await ask(endpoint, method))
    if refusal.code == "invalid_grant" {
      return Finding("client", .ok, "accepted \(name); register \(redirect) there")
    }
    guard refusal.isOfClient else {
      let isClear = refusal.code != nil
      return Finding(
        "client",
        isClear ? .warning : .failed,
        "the token endpoint answered \(refusal.status.map(String.init) ?? "") \(refusal.word) \(name)",
        isClear ? "sign in once: whether it accepts the client is not clear" : "check the address \(endpoint)"
      )
    }
    if issuer.proof != .none {
      for other in ClientAuthentication.allCases where other != method {
        guard TokenRefusal(try await ask(endpoint, other)).code == "invalid_grant" else { continue }
        return Finding(
          "client",
          .failed,
          "refused \(name), but accepted with \(other.rawValue)",
          "set token_endpoint_auth_method: \(other.rawValue)"
        )
      }
      // The secret may be wrong too, but with another method no secret is accepted.
      if let announced, !announced.contains(method.rawValue) {
        return Finding(
          "client",
          .failed,
          "refused \(name), but the provider announces \(announced.joined(separator: ", ")) only",
          "set token_endpoint_auth_method to one of these, or leave it out"
        )
      }
    }
    let remedy =
      issuer.proof == .none
      ? "name the client_secret_file, or make the client a public one at the provider"
      : "compare client_ids and the secret with those at the provider"
    return Finding("client", .failed, "refused \(name): \(refusal.word)", remedy)
  }

  /// Exchanges a code that nobody has issued.
  private func ask(_ endpoint: String, _ method: ClientAuthentication) async throws -> ProviderAnswer {
    let form = [
      (name: "grant_type", value: "authorization_code"), (name: "code", value: "fettle-check-provider"),
      (name: "redirect_uri", value: redirect),
      (name: "code_verifier", value: String(repeating: "fettle-check-", count: 4)),
    ]
    return try await provider.client.send(
      method.request(
        endpoint,
        form: form,
        client: issuer.clientIDs.first ?? "",
        secret: try await ClientSecret.make(for: issuer, at: provider.now())
      )
    )
  }

  private func userinfo(_ metadata: ProviderMetadata?) -> Finding {
    let trust = issuer.emailTrust
    guard trust.isTrusted else {
      return Finding("address", .warning, "trusts_email: false, so that nobody gets an account by signing in")
    }
    let place = (issuer.endpoints.userinfo ?? metadata?.userinfoEndpoint) == nil ? "" : " or userinfo"
    let claims = metadata?.claims ?? []
    if !trust.vouches, !claims.isEmpty, !claims.contains("email_verified") {
      return Finding(
        "address",
        .warning,
        "the provider does not announce the claim email_verified",
        "if it verifies every address, set email_is_verified: true"
      )
    }
    if !claims.isEmpty, !claims.contains(trust.claim) {
      return Finding(
        "address",
        .warning,
        "the provider does not announce the claim \(trust.claim)",
        "name the claim with the address in email_claim"
      )
    }
    return Finding("address", .ok, "from \(trust.claim) in the ID token\(place)")
  }

  private static func text(of error: any Error) -> (text: String, hint: String?) {
    guard let known = error as? DomainError else { return ("\(error)", nil) }
    return (known.message, known.hint == known.code.hint ? nil : known.hint)
  }
}
