internal import Domain
internal import JWTKit
internal import Secrets

/// The public keys of a provider, by their ids.
///
/// JWTKit's own collection is not used to find keys: for an unknown `kid` it falls back to a default key, and it
/// refuses a whole set if one key has no `kid`.
struct KeySet: Sendable {
  /// A key for one algorithm.
  struct Key: Sendable {
    let algorithm: Issuer.Algorithm
    private let verifier: any JWTAlgorithm

    fileprivate init(_ algorithm: Issuer.Algorithm, _ verifier: any JWTAlgorithm) {
      self.algorithm = algorithm
      self.verifier = verifier
    }

    /// True if the signature is one of this key.
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      // An error means that the signature has an impossible form.
      (try? verifier.verify(signature, signs: message)) ?? false
    }
  }

  private let keys: [String: Key]

  /// Reads a key set (RFC 7517). Keys without an id, for encryption, or of other kinds are left out.
  ///
  /// - Throws: `unavailable` if the document is not a key set, or two keys have the same id.
  init(_ document: [UInt8]) async throws {
    guard let text = String(validating: document, as: UTF8.self),
      let list = (try? JSONValue(parsing: text))?.object?["keys"]?.array  // refused like another document
    else { throw DomainError(.unavailable, "the identity provider's key set cannot be read") }
    var keys: [String: Key] = [:]
    for entry in list {
      guard let entry = entry.object, let id = entry["kid"]?.string, !id.isEmpty,
        let key = await Self.key(entry, id: id)
      else { continue }
      guard keys.updateValue(key, forKey: id) == nil else {
        throw DomainError(.unavailable, "the identity provider has two keys with the same id")
      }
    }
    self.keys = keys
  }

  /// Returns the key with an id; nil if there is none.
  func key(_ id: String) -> Key? { keys[id] }

  private static func key(_ entry: JSONObject, id: String) async -> Key? {
    guard entry["use"].map({ $0.string == "sig" }) ?? true else { return nil }
    let identifier = JWKIdentifier(string: id)
    let collection = JWTKeyCollection()
    let algorithm: Issuer.Algorithm
    switch entry["kty"]?.string {
    case "RSA":
      algorithm = .rs256
      guard let modulus = entry["n"]?.string, let exponent = entry["e"]?.string,
        let key = try? Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)  // not a key: left out
      else { return nil }
      await collection.add(rsa: key, digestAlgorithm: .sha256, kid: identifier)
    case "EC" where entry["crv"]?.string == "P-256":
      algorithm = .es256
      guard let x = entry["x"]?.string, let y = entry["y"]?.string,
        let key = try? ES256PublicKey(parameters: (x, y))  // not a key: left out
      else { return nil }
      await collection.add(ecdsa: key, kid: identifier)
    default: return nil
    }
    guard entry["alg"].map({ $0.string == algorithm.rawValue }) ?? true else { return nil }
    await collection.clearDefault()
    // The key was added under this id.
    guard let verifier = try? await collection.getKey(for: identifier) else { return nil }
    return Key(algorithm, verifier)
  }
}
