internal import Domain
internal import Secrets

/// The public keys of a provider, by their ids.
struct KeySet: Sendable {
  /// A key for one algorithm.
  struct Key: Sendable {
    let algorithm: Issuer.Algorithm
    fileprivate let publicKey: PublicKey

    /// True if the signature is one of this key.
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      publicKey.isValid(signature, for: message)
    }
  }

  /// The maximum number of keys without an id, each of which is tried for a token that names none.
  private static let namelessLimit = 8

  private var named: [String: [Key]] = [:]
  private var nameless: [Key] = []

  /// Reads a key set (RFC 7517). Keys for encryption or of other kinds are left out.
  ///
  /// - Throws: `unavailable` if the document is not a key set, or two keys for one algorithm have the same id.
  init(_ document: [UInt8]) throws {
    guard let list = ProviderAnswer(status: 200, body: document).json?["keys"]?.array else {
      throw DomainError(.unavailable, "the identity provider's key set cannot be read")
    }
    for entry in list {
      guard let entry = entry.object, let key = Self.key(entry) else { continue }
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

  /// Returns the key of an entry, whose kind decides the algorithm; nil if it is not a key for signatures of tokens.
  private static func key(_ entry: JSONObject) -> Key? {
    func number(_ name: String) -> [UInt8]? {
      entry[name]?.string.flatMap { Base64.decode($0, alphabet: .url) }
    }
    guard entry["use"].map({ $0.string == "sig" }) ?? true else { return nil }
    let algorithm: Issuer.Algorithm
    let publicKey: PublicKey?
    switch entry["kty"]?.string {
    case "RSA":
      guard let modulus = number("n"), let exponent = number("e") else { return nil }
      (algorithm, publicKey) = (.rs256, PublicKey(modulus: modulus, exponent: exponent))
    case "EC" where entry["crv"]?.string == "P-256":
      guard let x = number("x"), let y = number("y") else { return nil }
      (algorithm, publicKey) = (.es256, PublicKey(x: x, y: y))
    default: return nil
    }
    guard let publicKey, entry["alg"].map({ $0.string == algorithm.rawValue }) ?? true else { return nil }
    return Key(algorithm: algorithm, publicKey: publicKey)
  }
}
