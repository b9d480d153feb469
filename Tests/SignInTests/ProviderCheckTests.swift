import Domain
import SignInFixtures
import Testing

@testable import SignIn

/// What `fettle api check-provider` says.
@Suite struct ProviderCheckTests {
  private func provider(
    _ issuer: ShapedIssuer,
    named url: String? = nil,
    secret: String? = nil,
    authentication: ClientAuthentication? = nil,
    _ change: (inout EmailTrust) -> Void = { _ in }
  ) -> IdentityProvider {
    var trust = EmailTrust()
    change(&trust)
    return IdentityProvider(
      Issuer(
        name: issuer.shape.name,
        issuer: url ?? issuer.issuer,
        clientIDs: [issuer.shape.client.id],
        proof: .secret(Issuer.Secret(secret ?? issuer.shape.client.secret)),
        authentication: authentication,
        emailTrust: trust
      ),
      client: issuer
    )
  }

  private func walk(_ provider: IdentityProvider) async -> [ProviderCheck.Finding] {
    await ProviderCheck(provider, origin: "https://fettle.example").run()
  }

  @Test(arguments: ProviderShape.all.filter { !["apple", "silent-post"].contains($0.name) })
  func `nothing is wrong with a provider with which people can sign in`(_ shape: ProviderShape) async throws {
    let issuer = try await ShapedIssuer(shape)
    let findings = await walk(provider(issuer))
    #expect(findings.map(\.step) == ["discovery", "keys", "client", "address"])
    #expect(findings.allSatisfy { $0.state == .ok }, "\(findings)")
    #expect(findings[2].text.contains("https://fettle.example/v1/auth/\(shape.name)/callback"))
    // The secret is shown nowhere.
    #expect(!findings.contains { $0.text.contains(shape.client.secret) })
  }

  @Test func `a wrong secret is found`() async throws {
    let issuer = try await ShapedIssuer(ProviderShape("wrong"))
    let client = await walk(provider(issuer, secret: "another"))[2]
    #expect(client.state == .failed && client.text == "refused with client_secret_basic: invalid_client")
    #expect(client.remedy == "compare client_ids and the secret with those at the provider")
  }

  @Test func `a provider that takes the secret in another way is found, with the setting`() async throws {
    let issuer = try await ShapedIssuer(
      ProviderShape("post") { shape in
        shape.discovery = ["token_endpoint_auth_methods_supported": .null]
        shape.accepted = ["client_secret_post"]
      }
    )
    let client = await walk(provider(issuer))[2]
    #expect(client.state == .failed)
    #expect(client.remedy == "set token_endpoint_auth_method: client_secret_post")
  }

  @Test func `a configured method that the provider does not take is found before the secret`() async throws {
    let issuer = try await ShapedIssuer(
      ProviderShape("post") { shape in
        shape.discovery = ["token_endpoint_auth_methods_supported": ["client_secret_post"]]
        shape.accepted = ["client_secret_post"]
      }
    )
    let client = await walk(provider(issuer, authentication: .basic))[2]
    #expect(client.state == .failed)
    #expect(client.remedy == "set token_endpoint_auth_method: client_secret_post")
    let both = await walk(provider(issuer, secret: "another", authentication: .basic))[2]
    #expect(both.state == .failed && both.text.contains("announces client_secret_post only"))
    #expect(both.remedy?.contains("token_endpoint_auth_method") == true)
  }

  @Test func `a provider that takes no secret is found`() async throws {
    let issuer = try await ShapedIssuer(
      ProviderShape("keys") { $0.discovery = ["token_endpoint_auth_methods_supported": ["private_key_jwt"]] }
    )
    let client = await walk(provider(issuer))[2]
    #expect(client.state == .failed && client.text.contains("private_key_jwt"))
  }

  @Test func `a public client that the provider wants a secret of is found`() async throws {
    let issuer = try await ShapedIssuer(ProviderShape("public"))
    let open = IdentityProvider(
      Issuer(name: "public", issuer: issuer.issuer, clientIDs: [issuer.shape.client.id]),
      client: issuer
    )
    let client = await walk(open)[2]
    #expect(client.state == .failed && client.remedy?.contains("client_secret_file") == true)
  }

  @Test func `an issuer of another spelling, and that of all tenants, are told apart`() async throws {
    let slash = try await ShapedIssuer(ProviderShape("slash") { $0.path = "/application/o/fettle/" })
    let found = await walk(provider(slash, named: "https://id.example/application/o/fettle"))
    #expect(found[0].text == "the issuer is https://id.example/application/o/fettle/")
    let all = try await ShapedIssuer(
      ProviderShape("all") { $0.discovery = ["issuer": "https://id.example/{tenantid}/v2.0"] }
    )
    let template = await walk(provider(all))
    #expect(template.count == 1 && template[0].state == .failed)
    #expect(template[0].remedy == "name the issuer of your tenant, not that of all tenants")
    let other = try await ShapedIssuer(
      ProviderShape("other") { $0.discovery = ["issuer": "https://evil.example"] }
    )
    #expect(await walk(provider(other)).map(\.state) == [.failed])
  }

  @Test func `a provider that is down or is none is found at the first step`() async throws {
    let issuer = try await ShapedIssuer(ProviderShape("down"))
    let elsewhere = await walk(provider(issuer, named: "https://id.example/nowhere"))
    #expect(elsewhere.map(\.step) == ["discovery"] && elsewhere[0].text.contains("404"))
    issuer.setDown(true)
    #expect(await walk(provider(issuer)).map(\.state) == [.failed])
  }

  @Test func `tokens signed with the client's secret, or by no key, are found`() async throws {
    let shared = try await ShapedIssuer(
      ProviderShape("hs256") { $0.discovery = ["id_token_signing_alg_values_supported": ["HS256"]] }
    )
    let found = await walk(provider(shared))
    #expect(found.contains { $0.step == "discovery" && $0.state == .failed && $0.text.contains("HS256") })
    let keyless = try await ShapedIssuer(ProviderShape("keyless") { $0.discovery = ["jwks_uri": .null] })
    #expect(await walk(provider(keyless))[1].state == .failed)
  }

  @Test func `a provider that says nothing about addresses is a warning, unless the operator vouches`()
    async throws
  {
    let issuer = try await ShapedIssuer(
      ProviderShape("entra") { $0.discovery = ["claims_supported": ["sub", "email", "preferred_username"]] }
    )
    let warned = await walk(provider(issuer))[3]
    #expect(
      warned.state == .warning && warned.remedy == "if it verifies every address, set email_is_verified: true"
    )
    #expect(await walk(provider(issuer) { $0.vouches = true })[3].state == .ok)
    let other = await walk(provider(issuer) { ($0.vouches, $0.claim) = (true, "upn") })[3]
    #expect(other.state == .warning && other.text.contains("upn"))
  }
}
