internal import CLibCrypto
package import Domain
internal import FoundationEssentials
internal import JWTKit
internal import Secrets

/// A key pair of an identity provider in a test.
package struct TestKey: Sendable {
  package let id: String
  package let algorithm: String
  private let signer: any JWTAlgorithm
  /// The public key as JWK.
  package let jwk: JSONObject
  /// The private key as PEM.
  package let pem: String

  /// Creates a key for RS256.
  package static func rsa(_ id: String) async throws -> TestKey {
    let pem = try rsaPEM()
    let key = try Insecure.RSA.PrivateKey(pem: pem)
    let (modulus, exponent) = try key.publicKey.getKeyPrimitives()
    let collection = JWTKeyCollection()
    await collection.add(rsa: key, digestAlgorithm: .sha256, kid: JWKIdentifier(string: id))
    return TestKey(
      id: id,
      algorithm: "RS256",
      signer: try await collection.getKey(for: JWKIdentifier(string: id)),
      jwk: [
        "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256",
        "n": .string(Base64.encode(Array(modulus), alphabet: .url)),
        "e": .string(Base64.encode(Array(exponent), alphabet: .url)),
      ],
      pem: pem
    )
  }

  /// Creates a key for ES256.
  package static func ec(_ id: String) async throws -> TestKey {
    let key = ES256PrivateKey()
    guard let (x, y) = key.parameters else { throw DomainError(.internal) }
    let collection = JWTKeyCollection()
    await collection.add(ecdsa: key, kid: JWKIdentifier(string: id))
    return TestKey(
      id: id,
      algorithm: "ES256",
      signer: try await collection.getKey(for: JWKIdentifier(string: id)),
      jwk: [
        "kty": "EC", "kid": .string(id), "crv": "P-256", "x": .string(urlSafe(x)), "y": .string(urlSafe(y)),
      ],
      pem: key.pemRepresentation
    )
  }

  /// Returns the signature of a message.
  package func sign(_ message: String) throws -> [UInt8] { try signer.sign(Array(message.utf8)) }

  /// True if the signature is one of this key.
  package func isValid(_ signature: [UInt8], for message: String) throws -> Bool {
    try signer.verify(signature, signs: Array(message.utf8))
  }

  private static func urlSafe(_ base64: String) -> String {
    base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns a new private key of 2,048 bits, as PKCS #1 in PEM.
  private static func rsaPEM() throws -> String {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw DomainError(.internal) }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1 else {
      throw DomainError(.internal)
    }
    defer { EVP_PKEY_free(key) }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_PrivateKey(key, &bytes)
    guard count > 0, let bytes else { throw DomainError(.internal) }
    defer { CRYPTO_free(bytes, #file, #line) }
    let text = Base64.encode(Array(UnsafeBufferPointer(start: bytes, count: Int(count))))
    var lines = ["-----BEGIN RSA PRIVATE KEY-----"]
    var rest = Substring(text)
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + ["-----END RSA PRIVATE KEY-----", ""]).joined(separator: "\n")
  }
}
