import Domain
import Secrets
import SignInFixtures
import Testing

@testable import SignIn

/// Tokens of each algorithm against keys of each kind.
@Suite struct TokenKeyTests {
  /// Returns the fault for which a token is refused; nil if it is accepted.
  private func fault(_ issuer: TestIssuer, _ token: String) async throws -> IDTokenFault? {
    do {
      _ = try await issuer.provider().verify(token)
      return nil
    } catch let error as DomainError where error.code == .signInRefused {
      return error.details["fault"]?.string.flatMap(IDTokenFault.init(rawValue:))
    }
  }

  private static func part(_ object: JSONObject) -> String { TestIssuer.part(object) }

  @Test(arguments: Issuer.Algorithm.allCases)
  func `a signature is accepted with its key, its payload and its algorithm only`(
    _ algorithm: Issuer.Algorithm
  ) async throws {
    let issuer = try await TestIssuer()
    let (key, other) = algorithm == .rs256 ? (issuer.rsa, issuer.ec) : (issuer.ec, issuer.rsa)
    let stranger = try await algorithm == .rs256 ? TestKey.rsa(key.id) : TestKey.ec(key.id)
    let token = try issuer.token(key: key)
    #expect(try await fault(issuer, token) == nil)

    let parts = token.split(separator: ".").map(String.init)
    let signature = try #require(Base64.decode(parts[2], alphabet: .url))
    for index in [0, signature.count / 2, signature.count - 1] {
      var changed = signature
      changed[index] ^= 0x10
      let text = Base64.encode(changed, alphabet: .url)
      #expect(try await fault(issuer, "\(parts[0]).\(parts[1]).\(text)") == .signature)
    }
    for changed in [[], signature + [0], [0] + signature, Array(signature.dropLast())] {
      let text = Base64.encode(changed, alphabet: .url)
      #expect(try await fault(issuer, "\(parts[0]).\(parts[1]).\(text)") == .signature)
    }
    #expect(try await fault(issuer, "\(parts[0]).\(parts[1]).\(parts[2])==") == .malformed)

    let payload = Self.part(TestIssuer.claims(["sub": "person-2"]))
    #expect(try await fault(issuer, "\(parts[0]).\(payload).\(parts[2])") == .signature)
    #expect(try await fault(issuer, issuer.token(key: stranger)) == .signature)
    // Signed rightly, but the header names the other algorithm, the other key, or both.
    let name: JSONValue = .string(other.algorithm)
    #expect(try await fault(issuer, issuer.token(key: key, header: ["alg": name])) == .algorithm)
    #expect(try await fault(issuer, issuer.token(key: key, header: ["kid": .string(other.id)])) == .algorithm)
    let both: KeyValuePairs<String, JSONValue> = ["alg": name, "kid": .string(other.id)]
    #expect(try await fault(issuer, issuer.token(key: key, header: both)) == .signature)
    #expect(try await fault(issuer, issuer.token(key: key, header: ["alg": "none"])) == .algorithm)
  }

  @Test func `a short RSA key and a point beside the curve are left out of the key set`() async throws {
    let issuer = try await TestIssuer()
    let short = try await TestKey.rsa("short", bits: 1_024)
    var beside = issuer.ec.jwk
    beside["kid"] = "beside"
    beside["y"] = issuer.ec.jwk["x"]
    var padded = issuer.rsa.jwk
    padded["kid"] = "padded"
    padded["n"] = .string("\(padded["n"]?.string ?? "")==")
    var named = issuer.ec.jwk
    named["kid"] = "named"
    named["alg"] = "RS256"
    var renamed = issuer.rsa.jwk
    renamed["kid"] = "renamed"
    renamed["kty"] = "EC"
    issuer.publish([short.jwk, beside, padded, named, renamed, issuer.rsa.jwk])
    #expect(try await fault(issuer, issuer.token()) == nil)
    #expect(try await fault(issuer, issuer.token(key: short)) == .unknownKey)
    for id in ["beside", "named"] {
      #expect(
        try await fault(issuer, issuer.token(key: issuer.ec, header: ["kid": .string(id)])) == .unknownKey
      )
    }
    for id in ["padded", "renamed"] {
      #expect(try await fault(issuer, issuer.token(header: ["kid": .string(id)])) == .unknownKey)
    }
  }

  @Test func `tokens that openssl signed are accepted`() async throws {
    let issuer = try await TestIssuer()
    let rsa: JSONObject = [
      "kty": "RSA", "kid": "openssl", "n": .string(OpenSSLToken.modulus), "e": .string(OpenSSLToken.exponent),
    ]
    let ec: JSONObject = [
      "kty": "EC", "kid": "openssl", "crv": "P-256", "x": .string(OpenSSLToken.x),
      "y": .string(OpenSSLToken.y),
    ]
    issuer.publish([rsa, ec])
    #expect(try await fault(issuer, OpenSSLToken.rs256) == nil)
    #expect(try await fault(issuer, OpenSSLToken.es256) == nil)
    issuer.publish([ec])
    #expect(try await fault(issuer, OpenSSLToken.rs256) == .algorithm)
  }
}
