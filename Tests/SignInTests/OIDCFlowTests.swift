import Domain
import Secrets
import SignInFixtures
import Testing

@testable import SignIn

@Suite struct OIDCFlowTests {
  private static let redirect = "https://fettle.example/v1/auth/example/callback"

  private func refusal(_ body: () async throws -> Void) async -> ErrorCode? {
    await #expect(throws: DomainError.self) { try await body() }?.code
  }

  /// Returns the query of an address; every value is encoded with unreserved characters only.
  private func query(_ url: String) -> [String: Substring] {
    let pairs = url.split(separator: "?", maxSplits: 1)[1].split(separator: "&").map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    return Dictionary(pairs.map { (String($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
  }

  @Test func `the browser is sent with state, nonce and the challenge of PKCE`() async throws {
    let issuer = try await TestIssuer()
    let step = OIDCFlow.Step.random()
    let url = try await OIDCFlow(issuer.provider(), redirect: Self.redirect).authorizationURL(step)
    #expect(url.hasPrefix("https://id.example/authorize?"))
    let query = query(url)
    #expect(query["response_type"] == "code" && query["client_id"] == "client-1")
    #expect(query["redirect_uri"] == "https%3A%2F%2Ffettle.example%2Fv1%2Fauth%2Fexample%2Fcallback")
    #expect(query["state"] == step.state[...] && query["nonce"] == step.nonce[...])
    #expect(query["code_challenge_method"] == "S256" && query["response_mode"] == nil)
    let challenge = Base64.encode(SHA256.hash(step.verifier), alphabet: .url)
    #expect(query["code_challenge"] == challenge[...] && !url.contains(step.verifier))
    let form = try await OIDCFlow(issuer.provider(answersByForm: true), redirect: Self.redirect)
      .authorizationURL(step)
    #expect(self.query(form)["response_mode"] == "form_post")
    #expect(OIDCFlow.Step.random() != OIDCFlow.Step.random() && step.verifier.utf8.count == 43)
  }

  @Test func `a code is exchanged with its verifier and the exact redirect`() async throws {
    let issuer = try await TestIssuer()
    issuer.describe("token_endpoint_auth_methods_supported", ["client_secret_post"])
    let flow = OIDCFlow(issuer.provider(proof: .secret(Issuer.Secret("s & s"))), redirect: Self.redirect)
    issuer.answerTokens(200, ["id_token": .string(try issuer.token())])
    let answer = OIDCFlow.Answer(state: "s", code: "the code", issuer: TestIssuer.issuer)
    let identity = try await flow.identity(answer, verifier: "v", nonceHash: SHA256.hash("nonce-1"))
    #expect(identity.subject == "person-1")
    let post = try #require(issuer.posts.first)
    #expect(post.url == "https://id.example/token")
    #expect(
      post.form == [
        "grant_type": "authorization_code", "code": "the code", "redirect_uri": Self.redirect,
        "client_id": "client-1", "code_verifier": "v", "client_secret": "s & s",
      ]
    )
  }

  @Test func `without a word about it, the secret is sent as the specification's default`() async throws {
    let issuer = try await TestIssuer()
    let proof = Issuer.ClientProof.secret(Issuer.Secret("a:b c%"))
    let flow = OIDCFlow(issuer.provider(clientIDs: ["client-1:web"], proof: proof), redirect: Self.redirect)
    issuer.answerTokens(
      200,
      ["id_token": .string(try issuer.token(TestIssuer.claims(["aud": "client-1:web"])))]
    )
    let answer = OIDCFlow.Answer(state: "s", code: "c", issuer: nil)
    _ = try await flow.identity(answer, verifier: "v", nonceHash: SHA256.hash("nonce-1"))
    let post = try #require(issuer.posts.first)
    let pair = Base64.encode(Array("client-1%3Aweb:a%3Ab%20c%25".utf8))
    #expect(post.authorization == "Basic \(pair)")
    #expect(post.form["client_secret"] == nil && post.form["client_id"] == nil)
    // A public client has nothing to prove.
    let open = OIDCFlow(issuer.provider(), redirect: Self.redirect)
    issuer.answerTokens(200, ["id_token": .string(try issuer.token())])
    _ = try await open.identity(answer, verifier: "v", nonceHash: SHA256.hash("nonce-1"))
    #expect(issuer.posts.last?.authorization == nil && issuer.posts.last?.form["client_id"] == "client-1")
  }

  @Test func `an answer of another issuer, a wrong nonce and a refused code are refused`() async throws {
    let issuer = try await TestIssuer()
    let flow = OIDCFlow(issuer.provider(), redirect: Self.redirect)
    issuer.answerTokens(200, ["id_token": .string(try issuer.token())])
    let right = OIDCFlow.Answer(state: "s", code: "c", issuer: nil)
    #expect(
      await refusal {
        _ = try await flow.identity(
          OIDCFlow.Answer(state: "s", code: "c", issuer: "https://evil.example"),
          verifier: "v",
          nonceHash: SHA256.hash("nonce-1")
        )
      } == .signInRefused
    )
    // The code was not sent anywhere.
    #expect(issuer.posts.isEmpty)
    #expect(
      await refusal { _ = try await flow.identity(right, verifier: "v", nonceHash: SHA256.hash("nonce-2")) }
        == .signInRefused
    )
    issuer.answerTokens(400, ["error": "invalid_grant"])
    #expect(
      await refusal { _ = try await flow.identity(right, verifier: "v", nonceHash: SHA256.hash("nonce-1")) }
        == .signInRefused
    )
    issuer.answerTokens(503, [:])
    #expect(
      await refusal { _ = try await flow.identity(right, verifier: "v", nonceHash: SHA256.hash("nonce-1")) }
        == .unavailable
    )
  }

  @Test func `a provider that names itself must always do so`() async throws {
    let issuer = try await TestIssuer()
    issuer.describe("authorization_response_iss_parameter_supported", true)
    issuer.answerTokens(200, ["id_token": .string(try issuer.token())])
    let flow = OIDCFlow(issuer.provider(), redirect: Self.redirect)
    #expect(
      await refusal {
        _ = try await flow.identity(
          OIDCFlow.Answer(state: "s", code: "c", issuer: nil),
          verifier: "v",
          nonceHash: SHA256.hash("nonce-1")
        )
      } == .signInRefused
    )
  }

  @Test func `a client secret is signed with the configured key and valid for five minutes`() async throws {
    let issuer = try await TestIssuer()
    let key = Issuer.ClientKey(id: "KEY", team: "TEAM", pem: Issuer.Secret(issuer.ec.pem))
    #expect(ClientSecret.fault(in: key) == nil)
    #expect(ClientSecret.fault(in: Issuer.ClientKey(id: "K", team: "T", pem: Issuer.Secret("x"))) != nil)
    let provider = issuer.provider(proof: .key(key))
    let secret = try #require(try await ClientSecret.make(for: provider.issuer, at: TestIssuer.now))
    let token = try CompactToken(parsing: secret)
    #expect(token.header == ["alg": "ES256", "kid": "KEY"])
    #expect(
      token.payload == [
        "iss": "TEAM", "iat": .integer(TestIssuer.now), "exp": .integer(TestIssuer.now + 300),
        "aud": .string(TestIssuer.issuer), "sub": "client-1",
      ]
    )
    let message = String(decoding: token.signed, as: UTF8.self)
    #expect(try issuer.ec.isValid(token.signature, for: message))
  }

  @Test func `a secret is not printed`() {
    let proof = Issuer.ClientProof.secret(Issuer.Secret("hunter2"))
    #expect(!"\(proof)".contains("hunter2") && !String(reflecting: proof).contains("hunter2"))
  }
}
