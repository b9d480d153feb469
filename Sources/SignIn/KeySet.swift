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

  /// The maximum number of keys without an id, each of which is tried for a token that names none.
  private static let namelessLimit = 8

  private var named: [String: [Key]] = [:]
  private var nameless: [Key] = []

  /// Reads a key set (RFC 7517). Keys for encryption or of other kinds are left out.
  ///
  /// - Throws: `unavailable` if the document is not a key set, or two keys for one algorithm have the same id.
  init(_ document: [UInt8]) async throws {
    guard let list = ProviderAnswer(status: 200, body: document).json?["keys"]?.array else {
      throw DomainError(.unavailable, "the identity provider's key set cannot be read")
    }
    for entry in list {
      guard let entry = entry.object, let key = await Self.key(entry) else { continue }
      guard let id = entry["kid"]?.string, !id.isEmpty else {
        if nameless.count < Self.namelessLimit { nameless.append(key) }
        continue
      }
      guard named[id]?.contains(where: { $0.algorithm == key.algorithm }) != true else {
        throw DomainError(.unavailable, "the identity provider has two keys with the same id")
      }
      named[id, default: []].append(key)
    }
  }

  /// The keys, those without an id last.
  var all: [Key] { named.values.flatMap(\.self) + nameless }

  /// The number of keys without an id.
  var namelessCount: Int { nameless.count }

  /// Returns the keys that may have signed a token: those with the id that its header names, or those without an id if
  /// it names none. If a provider's only key has no id, the token may name any.
  func candidates(_ id: String?) -> [Key] {
    guard let id, !(named.isEmpty && nameless.count == 1) else { return nameless }
    return named[id] ?? []
  }

  private static func key(_ entry: JSONObject) async -> Key? {
    guard entry["use"].map({ $0.string == "sig" }) ?? true else { return nil }
    // The collection needs an id; it is not used to find the key.
    let identifier = JWKIdentifier(string: "key")
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
