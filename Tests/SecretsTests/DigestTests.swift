import Testing

@testable import Secrets

@Suite struct DigestTests {
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ]
  )
  func `sha-256 gives the digests of FIPS 180-2`(text: String, digest: String) {
    #expect(Hex.encode(SHA256.hash(text)) == digest)
  }

  @Test func `hmac gives the codes of RFC 4231`() {
    let short = HMACSHA256.code(for: "what do ya want for nothing?".utf8, key: Array("Jefe".utf8))
    #expect(Hex.encode(short) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let long = HMACSHA256.code(
      for: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
      key: [UInt8](repeating: 0xaa, count: 131)
    )
    #expect(Hex.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test func `a code of another message or key is invalid`() {
    let key = SecureRandom.bytes(32)
    let code = HMACSHA256.code(for: "pay 10".utf8, key: key)
    #expect(HMACSHA256.isValid(code, for: "pay 10".utf8, key: key))
    #expect(!HMACSHA256.isValid(code, for: "pay 11".utf8, key: key))
    #expect(!HMACSHA256.isValid(code, for: "pay 10".utf8, key: SecureRandom.bytes(32)))
    #expect(!HMACSHA256.isValid([], for: "pay 10".utf8, key: key))
  }

  @Test func `crc-32 gives its check value`() {
    #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
  }

  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ]
  )
  func `base64 gives the text of RFC 4648`(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
    #expect(Base64.encode(Array(plain.utf8), alphabet: .url) == encoded.filter { $0 != "=" })
  }

  @Test(arguments: ["Z", "Zh==", "Zg=", "Zg", "=Zg=", "Zg==\n", "Zm9v?", "Zm-_"])
  func `base64 that nobody would write is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test func `random bytes come back from every encoding`() {
    for count in 0..<70 {
      let bytes = SecureRandom.bytes(count)
      #expect(bytes.count == count)
      #expect(Hex.decode(Hex.encode(bytes)) == bytes)
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64.decode(Base64.encode(bytes, alphabet: .url), alphabet: .url) == bytes)
    }
    #expect(Hex.decode("abc") == nil)
    #expect(Hex.decode("0g") == nil)
  }
}
