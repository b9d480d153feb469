import Testing

@testable import Secrets

@Suite struct SealedSecretTests {
  private static let secret = Array("a secret of a webhook".utf8)

  @Test func `a sealed secret opens with its key and at its place only`() throws {
    let keys = Keys.random()
    let sealed = try SealedSecret.seal(Self.secret, for: "company/webhook", with: keys)
    #expect(try SealedSecret.open(sealed, for: "company/webhook", with: keys) == Self.secret)
    #expect(try SealedSecret.seal(Self.secret, for: "company/webhook", with: keys) != sealed)
    let wrong: [(bytes: [UInt8], place: String, keys: Keys)] = [
      (sealed, "other/webhook", keys), (sealed, "company/webhook", .random()),
      (Self.secret, "company/webhook", keys),
    ]
    for (bytes, place, keys) in wrong {
      #expect(throws: SecretsError.self) { try SealedSecret.open(bytes, for: place, with: keys) }
    }
  }

  @Test func `an old secret opens after a rotation, and a new one has the new key`() throws {
    var keys = Keys.random()
    let old = try SealedSecret.seal(Self.secret, for: "x", with: keys)
    keys.rotate(.vault)
    let new = try SealedSecret.seal(Self.secret, for: "x", with: keys)
    #expect(old[1...4].elementsEqual([0, 0, 0, 1]) && new[1...4].elementsEqual([0, 0, 0, 2]))
    for sealed in [old, new] {
      #expect(try SealedSecret.open(sealed, for: "x", with: keys) == Self.secret)
    }
  }

  @Test func `no changed byte goes unnoticed`() throws {
    let keys = Keys.random()
    let sealed = try SealedSecret.seal(Self.secret, for: "x", with: keys)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: SecretsError.self) { try SealedSecret.open(changed, for: "x", with: keys) }
    }
  }
}
