import Domain
import Secrets
import SignInFixtures
import Testing

@testable import SignIn

/// ID tokens that are right, and all ways in which they are wrong.
@Suite struct IDTokenTests {
  /// Returns the fault for which a provider refuses a token.
  private func fault(
    _ provider: IdentityProvider,
    _ token: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> IDTokenFault? {
    let error = await #expect(throws: DomainError.self, sourceLocation: sourceLocation) {
      _ = try await provider.verify(token)
    }
    #expect(error?.code == .signInRefused, sourceLocation: sourceLocation)
    return error?.details["fault"]?.string.flatMap(IDTokenFault.init(rawValue:))
  }

  @Test func `tokens signed with RS256 and ES256 identify a person`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    for key in [issuer.rsa, issuer.ec] {
      let identity = try await provider.verify(try issuer.token(key: key))
      #expect(identity.issuer == TestIssuer.issuer && identity.subject == "person-1")
      #expect(identity.verifiedEmail?.text == "ana@example.com" && identity.name?.text == "Ana")
      #expect(identity.nonce == "nonce-1")
    }
    // Google's tokens for Android name the issuer without a scheme; the identity is the same.
    let alias = try await provider.verify(try issuer.token(TestIssuer.claims(["iss": "id.example"])))
    #expect(alias.issuer == TestIssuer.issuer)
  }

  @Test func `a token without a signature is refused`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let body = TestIssuer.part(TestIssuer.claims)
    for name in ["none", "None", "NONE", "nOnE", ""] {
      let header = TestIssuer.part(["alg": .string(name), "kid": .string(issuer.rsa.id)])
      #expect(try await fault(provider, "\(header).\(body).") == .algorithm)
    }
    let signed = TestIssuer.part(["alg": "RS256", "kid": .string(issuer.rsa.id)])
    #expect(try await fault(provider, "\(signed).\(body).") == .signature)
    #expect(try await fault(provider, "\(signed).\(body)") == .malformed)
  }

  @Test func `a public key is not accepted as the secret of an HMAC`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let modulus = try #require(issuer.rsa.jwk["n"]?.string.flatMap { Base64.decode($0, alphabet: .url) })
    let text = Array(JSONValue.object(issuer.rsa.jwk).text.utf8)
    for name in ["HS256", "HS384", "HS512"] {
      for secret in [modulus, text, Array(issuer.rsa.id.utf8), []] {
        let header = TestIssuer.part(["alg": .string(name), "kid": .string(issuer.rsa.id)])
        let message = "\(header).\(TestIssuer.part(TestIssuer.claims))"
        let code = HMACSHA256.code(for: message.utf8, key: secret)
        let token = "\(message).\(Base64.encode(code, alphabet: .url))"
        #expect(try await fault(provider, token) == .algorithm)
        // The same code under the name of the right algorithm.
        let renamed = TestIssuer.part(["alg": "RS256", "kid": .string(issuer.rsa.id)])
        let forged = "\(renamed).\(TestIssuer.part(TestIssuer.claims)).\(Base64.encode(code, alphabet: .url))"
        #expect(try await fault(provider, forged) == .signature)
      }
    }
  }

  @Test func `an algorithm that is not configured is refused, and a key serves one algorithm`() async throws {
    let issuer = try await TestIssuer()
    #expect(
      try await fault(issuer.provider(algorithms: [.rs256]), issuer.token(key: issuer.ec)) == .algorithm
    )
    let provider = issuer.provider()
    for name in ["RS384", "RS512", "PS256", "ES384", "EdDSA", "rs256"] {
      #expect(try await fault(provider, issuer.token(header: ["alg": .string(name)])) == .algorithm)
    }
    #expect(
      try await fault(provider, issuer.token(key: issuer.ec, header: ["kid": "rsa-1"])) == .algorithm
    )
    #expect(
      try await fault(provider, issuer.token(key: issuer.rsa, header: ["alg": "ES256", "kid": "ec-1"]))
        == .signature
    )
  }

  @Test func `a token of an unknown key is refused, even when only one key exists`() async throws {
    let issuer = try await TestIssuer()
    let stranger = try await TestKey.rsa("stranger")
    for keys in [[issuer.rsa.jwk], [issuer.rsa.jwk, issuer.ec.jwk]] {
      issuer.publish(keys)
      let provider = issuer.provider()
      #expect(try await fault(provider, issuer.token(key: stranger)) == .unknownKey)
      // Signed with the provider's first key, which a default key would be.
      #expect(try await fault(provider, issuer.token(header: ["kid": "unknown"])) == .unknownKey)
      #expect(try await fault(provider, issuer.token(header: ["kid": nil])) == .unknownKey)
    }
  }

  @Test(arguments: [
    "../../key", "/dev/null", "rsa-1\u{7F}", "rsa-1' or '1'='1", "https://evil.example/keys", "", "RSA-1",
    " rsa-1",
  ])
  func `a key id is compared and nothing else`(_ id: String) async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    #expect(try await fault(provider, issuer.token(header: ["kid": .string(id)])) == .unknownKey)
    #expect(issuer.gets.allSatisfy { $0.hasPrefix("https://id.example/") })
  }

  @Test func `a token cannot bring its own key`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let stranger = try await TestKey.rsa("rsa-1")
    let own: JSONValue = .object(stranger.jwk)
    #expect(try await fault(provider, issuer.token(key: stranger, header: ["jwk": own])) == .header)
    #expect(try await fault(provider, issuer.token(header: ["jwk": own])) == .header)
    #expect(try await fault(provider, issuer.token(header: ["crit": ["exp"]])) == .header)
    #expect(try await fault(provider, issuer.token(header: ["typ": "at+jwt"])) == .header)
    // An address of keys is not followed: the signature is compared with the provider's key of that id.
    let address: JSONValue = "https://evil.example/keys"
    for name in ["jku", "x5u"] {
      var claims = TestIssuer.claims
      claims["sub"] = .string("victim")
      let header = TestIssuer.part(TestIssuer.header.merging(name, address))
      let message = "\(header).\(TestIssuer.part(claims))"
      let token = "\(message).\(Base64.encode(try stranger.sign(message), alphabet: .url))"
      #expect(try await fault(provider, token) == .signature)
    }
    #expect(!issuer.gets.contains { $0.contains("evil") })
  }

  @Test func `a changed token is refused`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let token = try issuer.token()
    let parts = token.split(separator: ".")
    let other = TestIssuer.part(TestIssuer.claims(["sub": "person-2"]))
    #expect(try await fault(provider, "\(parts[0]).\(other).\(parts[2])") == .signature)
    let header = TestIssuer.part(["alg": "RS256", "kid": "rsa-1"])
    #expect(try await fault(provider, "\(header).\(parts[1]).\(parts[2])") == .signature)
    let signature = Base64.encode([UInt8](repeating: 0, count: 256), alphabet: .url)
    #expect(try await fault(provider, "\(parts[0]).\(parts[1]).\(signature)") == .signature)
    for text in [
      "", ".", "..", "...", "a.b.c", "\(token).", ".\(token)", " \(token)", "\(token)=", "\(token)\n",
      String(repeating: "a", count: 20_000),
    ] {
      #expect(try await fault(provider, text) == .malformed)
    }
    // Two members of one name would be read differently by different libraries.
    let twice = Base64.encode(Array(#"{"sub":"a","sub":"b"}"#.utf8), alphabet: .url)
    #expect(try await fault(provider, "\(parts[0]).\(twice).\(parts[2])") == .malformed)
    let invalid = Base64.encode([0x7B, 0x22, 0xFF, 0x22, 0x7D], alphabet: .url)
    #expect(try await fault(provider, "\(parts[0]).\(invalid).\(parts[2])") == .malformed)
  }

  @Test(
    arguments: [
      ("iss", "https://evil.example", IDTokenFault.issuer), ("iss", "https://id.example/", .issuer),
      ("iss", nil, .issuer), ("iss", ["https://id.example"], .issuer), ("sub", nil, .subject),
      ("sub", "", .subject), ("sub", 17, .subject), ("sub", "a\u{7F}b", .subject),
      ("sub", "a\u{0}b", .malformed),
      ("aud", "client-2", .audience),
      ("aud", nil, .audience), ("aud", [], .audience), ("aud", ["client-2"], .audience),
      ("aud", ["client-1", "client-2"], .authorizedParty), ("azp", "client-2", .authorizedParty),
      ("azp", 1, .authorizedParty), ("exp", nil, .times), ("exp", "tomorrow", .times), ("exp", -1, .times),
      ("iat", nil, .times), ("nonce", nil, .nonce), ("nonce", "", .nonce), ("nonce", 5, .nonce),
      ("events", ["x"], .malformed),
    ] as [(String, JSONValue, IDTokenFault)]
  )
  func `a token with a wrong or missing claim is refused`(
    _ name: String,
    _ value: JSONValue,
    _ expected: IDTokenFault
  ) async throws {
    let issuer = try await TestIssuer()
    var claims = TestIssuer.claims
    claims[name] = value.isNull ? nil : value
    #expect(try await fault(issuer.provider(), issuer.token(claims)) == expected)
  }

  @Test(
    arguments: [
      ("exp", -61, IDTokenFault.expired), ("exp", -60, .expired), ("exp", -59, nil),
      ("nbf", 61, .notYetValid),
      ("nbf", 60, nil), ("iat", 61, .issuedInFuture), ("iat", 60, nil), ("iat", -660, nil),
      ("iat", -661, .issuedTooLongAgo),
    ] as [(String, Int64, IDTokenFault?)]
  )
  func `times are accepted with a difference of at most a minute between the clocks`(
    _ name: String,
    _ distance: Int64,
    _ expected: IDTokenFault?
  ) async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider()
    let token = try issuer.token(TestIssuer.claims([name: .integer(TestIssuer.now + distance)]))
    if let expected {
      #expect(try await fault(provider, token) == expected)
    } else {
      #expect(try await provider.verify(token).subject == "person-1")
    }
  }

  @Test func `a token for two of our clients names the one that asked for it`() async throws {
    let issuer = try await TestIssuer()
    let provider = issuer.provider(clientIDs: ["client-1", "app-1"])
    let both: JSONValue = ["client-1", "app-1"]
    #expect(try await fault(provider, issuer.token(TestIssuer.claims(["aud": both]))) == .authorizedParty)
    let right = TestIssuer.claims(["aud": both, "azp": "app-1"])
    #expect(try await provider.verify(issuer.token(right)).subject == "person-1")
  }

  @Test(
    arguments: [
      (true, true), ("true", true), (false, false), ("false", false), ("TRUE", false), (1, false),
      (nil, false),
    ] as [(JSONValue, Bool)]
  )
  func `an address counts as verified only if the provider says so`(
    _ claim: JSONValue,
    _ expected: Bool
  ) async throws {
    let issuer = try await TestIssuer()
    let token = try issuer.token(TestIssuer.claims(["email_verified": claim]))
    #expect(try await issuer.provider().verify(token).isEmailVerified == expected)
    #expect(
      try await !issuer.provider(emailTrust: EmailTrust(isTrusted: false)).verify(token).isEmailVerified
    )
  }

  @Test func `an address that is not valid is left out and not verified`() async throws {
    let issuer = try await TestIssuer()
    let identity = try await issuer.provider().verify(
      try issuer.token(
        TestIssuer.claims(["email": "ana@example.com, eve@evil.example", "name": "a\u{202E}b"])
      )
    )
    #expect(identity.email == nil && !identity.isEmailVerified && identity.name == nil)
  }
}

extension JSONObject {
  /// Returns the object with another member.
  fileprivate func merging(_ name: String, _ value: JSONValue) -> JSONObject {
    var object = self
    object[name] = value
    return object
  }
}
