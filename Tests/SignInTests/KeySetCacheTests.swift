import Domain
import Secrets
import SignInFixtures
import Testing

@testable import SignIn

@Suite struct KeySetCacheTests {
  private func isAccepted(_ provider: IdentityProvider, _ token: String) async throws -> Bool {
    do {
      _ = try await provider.verify(token)
      return true
    } catch let error as DomainError where error.code == .signInRefused {
      return false
    }
  }

  private func fetches(_ issuer: TestIssuer) -> Int { issuer.gets.filter { $0.hasSuffix("/keys") }.count }

  @Test func `keys are fetched once for many tokens`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let token = try issuer.token()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { try await isAccepted(provider, token) } }
      for try await accepted in group { #expect(accepted) }
    }
    #expect(fetches(issuer) == 1)
  }

  @Test func `an unknown key causes at most one request a minute`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    #expect(try await isAccepted(provider, try issuer.token()))
    for number in 0..<50 {
      #expect(try await !isAccepted(provider, issuer.token(header: ["kid": .string("key-\(number)")])))
    }
    #expect(fetches(issuer) == 1)
    issuer.wait(60)
    for number in 0..<50 {
      #expect(try await !isAccepted(provider, issuer.token(header: ["kid": .string("key-\(number)")])))
    }
    #expect(fetches(issuer) == 2)
  }

  @Test func `a new key is found, and a withdrawn one is forgotten within an hour`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    #expect(try await isAccepted(provider, try issuer.token()))
    let new = try await TestKey.rsa("rsa-2")
    issuer.publish([new.jwk])
    issuer.wait(60)
    // Times are those of the token, so a token of the same age is made.
    func token(_ key: TestKey) throws -> String {
      try issuer.token(
        TestIssuer.claims(["iat": .integer(issuer.now), "exp": .integer(issuer.now + 60)]),
        key: key
      )
    }
    #expect(try await isAccepted(provider, token(new)))
    #expect(try await !isAccepted(provider, token(issuer.rsa)))
    issuer.publish([])
    issuer.wait(KeySetCache.freshness)
    #expect(try await !isAccepted(provider, token(new)))
  }

  @Test func `kept keys serve while the provider is down, for at most a day`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    #expect(try await isAccepted(provider, try issuer.token()))
    issuer.setDown(true)
    issuer.wait(2 * KeySetCache.freshness)
    func token() throws -> String {
      try issuer.token(TestIssuer.claims(["iat": .integer(issuer.now), "exp": .integer(issuer.now + 60)]))
    }
    #expect(try await isAccepted(provider, token()))
    issuer.wait(KeySetCache.patience)
    let error = await #expect(throws: DomainError.self) { _ = try await provider.verify(try token()) }
    #expect(error?.code == .unavailable)
  }

  @Test func `a key without an id, of another kind or for encryption does not spoil the set`() async throws {
    let issuer = try await TestIssuer()
    var nameless = issuer.rsa.jwk
    nameless["kid"] = nil
    var encryption = issuer.rsa.jwk
    encryption["kid"] = "encryption"
    encryption["use"] = "enc"
    issuer.publish([
      nameless, encryption, ["kty": "oct", "kid": "shared", "k": "c2VjcmV0"],
      ["kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": "AAAA"],
      ["kty": "EC", "kid": "p521", "crv": "P-521"],
      ["kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"], issuer.rsa.jwk,
    ])
    let provider = issuer.provider()
    #expect(try await isAccepted(provider, issuer.token()))
    for id in ["encryption", "shared", "ed", "p521", "broken"] {
      #expect(try await !isAccepted(provider, issuer.token(header: ["kid": .string(id)])))
    }
  }

  @Test func `two keys with one id are refused, because either could be meant`() async throws {
    let issuer = try await TestIssuer()
    issuer.publish([issuer.rsa.jwk, try await TestKey.rsa("rsa-1").jwk])
    let error = await #expect(throws: DomainError.self) {
      _ = try await issuer.provider().verify(try issuer.token())
    }
    #expect(error?.code == .unavailable)
  }

  @Test(
    arguments: [
      ("issuer", "https://evil.example"), ("jwks_uri", "http://id.example/keys"),
      ("jwks_uri", "file:///etc/passwd"),
      ("token_endpoint", "http://127.0.0.1:5432/"),
    ] as [(String, JSONValue)]
  )
  func `a discovery document of another issuer, or with an insecure address, is refused`(
    _ name: String,
    _ value: JSONValue
  ) async throws {
    let issuer = try await TestIssuer()
    issuer.describe(name, value)
    let error = await #expect(throws: DomainError.self) {
      _ = try await issuer.provider().verify(try issuer.token())
    }
    #expect(error?.code == .unavailable)
    #expect(fetches(issuer) == 0)
  }

  @Test(arguments: [
    ("https://id.example", true), ("http://127.0.0.1:8080", true), ("http://[::1]/x", true),
    ("http://localhost:1", true), ("http://id.example", false), ("http://127.0.0.1.evil.example", false),
    ("ftp://id.example", false), ("https://user@id.example", false), ("https://id.example/#a", false),
    ("", false),
  ])
  func `addresses are HTTPS, except on this machine`(_ url: String, _ isRight: Bool) {
    #expect((ProviderURL.fault(in: url) == nil) == isRight)
  }
}
