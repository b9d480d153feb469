import Secrets
import Testing

/// Keys of identity providers, and the signatures of their tokens.
@Suite struct PublicKeyTests {
  private static let message = Array("a message".utf8)
  private static let exponent: [UInt8] = [1, 0, 1]

  private static func bytes(_ digits: String) throws -> [UInt8] { try #require(Hex.decode(digits)) }

  @Test func `a signature that openssl made with RSA is valid for its message only`() throws {
    let modulus = try Self.bytes(OpenSSLKey.modulus)
    let signature = try Self.bytes(OpenSSLKey.signature)
    let key = try #require(PublicKey(modulus: modulus, exponent: Self.exponent))
    #expect(key.isValid(signature, for: Self.message))
    #expect(!key.isValid(signature, for: Self.message + [0]))
    #expect(!key.isValid(signature, for: []))
    for index in [0, 100, signature.count - 1] {
      var changed = signature
      changed[index] ^= 1
      #expect(!key.isValid(changed, for: Self.message))
    }
    // Of another length, with the same number or without.
    for other in [[], [0] + signature, signature + [0], Array(signature.dropFirst()), modulus] {
      #expect(!key.isValid(other, for: Self.message))
    }
    // A modulus may have zeros at the start, as some providers send it.
    #expect(PublicKey(modulus: [0] + modulus, exponent: [0] + Self.exponent) == key)
    #expect(PublicKey(modulus: modulus, exponent: [3])?.isValid(signature, for: Self.message) == false)
  }

  @Test func `an RSA key has 2,048 to 8,192 bits and an odd exponent of at most 32`() throws {
    func isKey(bits: Int, _ exponent: [UInt8] = Self.exponent, lowest: UInt8 = 1) -> Bool {
      let first = UInt8(1) << UInt8((bits - 1) % 8)
      let rest = [UInt8](repeating: 0, count: (bits - 1) / 8 - 1)
      return PublicKey(modulus: [first] + rest + [lowest], exponent: exponent) != nil
    }
    for bits in [512, 1_024, 2_047, 8_193, 16_384, 65_536] { #expect(!isKey(bits: bits), "\(bits)") }
    for bits in [2_048, 3_072, 4_096, 8_192] { #expect(isKey(bits: bits), "\(bits)") }
    for exponent in [[], [0], [1], [0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] as [[UInt8]] {
      #expect(!isKey(bits: 2_048, exponent), "\(exponent)")
    }
    #expect(isKey(bits: 2_048, [3]) && isKey(bits: 2_048, [0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(!isKey(bits: 2_048, lowest: 2))
    #expect(PublicKey(modulus: [], exponent: Self.exponent) == nil)
  }

  @Test func `a signature on P-256 has two numbers of 32 bytes`() throws {
    let signer = try #require(SigningKey(pem: OpenSSLKey.ec))
    let (x, y) = (try Self.bytes(OpenSSLKey.x), try Self.bytes(OpenSSLKey.y))
    let key = try #require(PublicKey(x: x, y: y))
    // Numbers that begin with zeros occur once in 256 signatures for each half.
    for number in 0..<600 {
      let message = Array("message \(number)".utf8)
      let signature = try #require(signer.sign(message))
      #expect(signature.count == 64)
      #expect(key.isValid(signature, for: message))
      if number == 0 {
        #expect(!key.isValid(signature, for: message + [0]))
        #expect(!key.isValid(Array(signature.suffix(32) + signature.prefix(32)), for: message))
        for index in [0, 31, 32, 63] {
          var changed = signature
          changed[index] ^= 1
          #expect(!key.isValid(changed, for: message))
        }
        for other in [[], Array(signature.dropLast()), signature + [0], [0] + signature] {
          #expect(!key.isValid(other, for: message))
        }
      }
    }
    let zero = [UInt8](repeating: 0, count: 32)
    let largest = [UInt8](repeating: 0xFF, count: 32)
    for other in [zero + zero, zero + largest, largest + zero, largest + largest] {
      #expect(!key.isValid(other, for: Self.message))
    }
  }

  @Test func `a point that is not on P-256 is no key`() throws {
    let (x, y) = (try Self.bytes(OpenSSLKey.x), try Self.bytes(OpenSSLKey.y))
    var beside = y
    beside[31] ^= 1
    let zero = [UInt8](repeating: 0, count: 32)
    let largest = [UInt8](repeating: 0xFF, count: 32)
    for (x, y) in [
      (x, beside), (y, x), (zero, zero), (largest, y), (x, largest), ([0] + x, y), (Array(x.dropLast()), y),
      (x, []), ([], []),
    ] {
      #expect(PublicKey(x: x, y: y) == nil)
    }
  }

  @Test func `a key signs if it is on P-256 and not encrypted`() throws {
    let key = try #require(
      PublicKey(x: try Self.bytes(OpenSSLKey.x), y: try Self.bytes(OpenSSLKey.y))
    )
    for pem in [OpenSSLKey.ec, OpenSSLKey.sec1, OpenSSLKey.ec + "\n"] {
      let signature = try #require(SigningKey(pem: pem)?.sign(Self.message))
      #expect(key.isValid(signature, for: Self.message))
    }
    let long = OpenSSLKey.ec + String(repeating: "\n", count: 20_000)
    for pem in [OpenSSLKey.encrypted, OpenSSLKey.p384, OpenSSLKey.ed25519, "", "x", long] {
      #expect(SigningKey(pem: pem) == nil, "\(pem.prefix(30))")
    }
  }
}
