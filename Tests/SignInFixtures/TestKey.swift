internal import CLibCrypto
package import Domain
internal import Secrets

/// A key pair of an identity provider in a test.
package struct TestKey: Sendable {
  package let id: String
  package let algorithm: String
  /// The public key as JWK.
  package let jwk: JSONObject
  /// The private key as PEM.
  package let pem: String

  /// Creates a key for RS256.
  package static func rsa(_ id: String, bits: Int = 2_048) async throws -> TestKey {
    try generate("RSA", { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) }) { key, pem in
      TestKey(
        id: id,
        algorithm: "RS256",
        jwk: [
          "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256", "n": try number("n", of: key),
          "e": try number("e", of: key),
        ],
        pem: pem
      )
    }
  }

  /// Creates a key for ES256.
  package static func ec(_ id: String) async throws -> TestKey {
    try generate("EC", { EVP_PKEY_CTX_set_group_name($0, "P-256") }) { key, pem in
      TestKey(
        id: id,
        algorithm: "ES256",
        jwk: [
          "kty": "EC", "kid": .string(id), "crv": "P-256", "x": try number("qx", of: key, count: 32),
          "y": try number("qy", of: key, count: 32),
        ],
        pem: pem
      )
    }
  }

  /// Returns the signature of a message.
  package func sign(_ message: String) throws -> [UInt8] {
    let message = Array(message.utf8)
    if algorithm == "ES256" {
      guard let signature = SigningKey(pem: pem)?.sign(message) else { throw DomainError(.internal) }
      return signature
    }
    let text = Array(pem.utf8)
    guard let input = BIO_new_mem_buf(text, Int32(text.count)), let context = EVP_MD_CTX_new() else {
      throw DomainError(.internal)
    }
    defer {
      BIO_free(input)
      EVP_MD_CTX_free(context)
    }
    let key = PEM_read_bio_PrivateKey(input, nil, nil, nil)
    defer { EVP_PKEY_free(key) }
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { throw DomainError(.internal) }
    return signature
  }

  /// True if the signature is one of this key.
  package func isValid(_ signature: [UInt8], for message: String) throws -> Bool {
    func number(_ name: String) -> [UInt8] {
      jwk[name]?.string.flatMap { Base64.decode($0, alphabet: .url) } ?? []
    }
    let key =
      algorithm == "ES256"
      ? PublicKey(x: number("x"), y: number("y")) : PublicKey(modulus: number("n"), exponent: number("e"))
    return key?.isValid(signature, for: Array(message.utf8)) ?? false
  }

  /// Calls a body with a new key, and with its private half as PEM.
  private static func generate(
    _ kind: String,
    _ configure: (OpaquePointer) -> Int32,
    _ body: (OpaquePointer, String) throws -> TestKey
  ) throws -> TestKey {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { throw DomainError(.internal) }
    defer { EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, configure(context) == 1, EVP_PKEY_generate(context, &made) == 1,
      let key = made
    else { throw DomainError(.internal) }
    defer { EVP_PKEY_free(key) }
    guard let output = BIO_new(BIO_s_mem()) else { throw DomainError(.internal) }
    defer { BIO_free(output) }
    var text = [UInt8](repeating: 0, count: 16_384)
    guard PEM_write_bio_PrivateKey(output, key, nil, nil, 0, nil, nil) == 1 else {
      throw DomainError(.internal)
    }
    let count = Int(BIO_read(output, &text, Int32(text.count)))
    return try body(key, String(decoding: text.prefix(count), as: UTF8.self))
  }

  /// Returns a number of a key as a JWK has it, with zeros at the start up to a count of bytes.
  private static func number(_ name: String, of key: OpaquePointer, count: Int = 1) throws -> JSONValue {
    var found: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &found) == 1, let found else { throw DomainError(.internal) }
    defer { BN_free(found) }
    var bytes = [UInt8](repeating: 0, count: max(count, Int(BN_num_bits(found) + 7) / 8))
    BN_bn2binpad(found, &bytes, Int32(bytes.count))
    return .string(Base64.encode(bytes, alphabet: .url))
  }
}
