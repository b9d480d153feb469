internal import CLibCrypto

/// The public key of another party, which verifies signatures of SHA-256.
///
/// The key is kept as DER, so that it is a value of plain bytes; libcrypto reads it again for each signature.
package struct PublicKey: Sendable, Hashable {
  /// The lengths of an RSA modulus in bits. Shorter ones are not safe, and longer ones only cost time.
  private static let modulusBits = 2_048...8_192
  /// The bytes of a coordinate on P-256, and of each half of a signature.
  static let coordinateCount = 32
  /// The algorithm `rsaEncryption` without parameters.
  private static let rsa: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  /// The algorithm `id-ecPublicKey` with the curve `prime256v1`, another name of P-256.
  private static let p256: [UInt8] = [
    0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D,
    0x03, 0x01, 0x07,
  ]

  /// The `SubjectPublicKeyInfo` of RFC 5280.
  private let info: [UInt8]
  private let isRSA: Bool

  /// Creates a key for RSASSA-PKCS1-v1_5 (RS256); nil if the numbers are no safe key.
  ///
  /// - Parameters:
  ///   - modulus: 2,048 to 8,192 bits, odd; the highest byte first.
  ///   - exponent: an odd number from 3 that has at most 32 bits.
  package init?(modulus: [UInt8], exponent: [UInt8]) {
    let (modulus, exponent) = (modulus.drop { $0 == 0 }, exponent.drop { $0 == 0 })
    guard let first = modulus.first, let last = modulus.last, last & 1 == 1,
      Self.modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
      exponent.count <= 4, let lowest = exponent.last, lowest & 1 == 1, exponent != [1]
    else { return nil }
    self.init(
      DER.sequence(Self.rsa, DER.bits(DER.sequence(DER.integer(modulus), DER.integer(exponent)))),
      isRSA: true
    )
  }

  /// Creates a key for ECDSA on P-256 (ES256); nil if the point is not on the curve.
  ///
  /// - Parameters:
  ///   - x: the first coordinate in 32 bytes.
  ///   - y: the second coordinate in 32 bytes.
  package init?(x: [UInt8], y: [UInt8]) {
    guard x.count == Self.coordinateCount, y.count == Self.coordinateCount else { return nil }
    // 4 says that both coordinates follow.
    self.init(DER.sequence(Self.p256, DER.bits([4] + x + y)), isRSA: false)
  }

  private init?(_ info: [UInt8], isRSA: Bool) {
    self.info = info
    self.isRSA = isRSA
    // Reading a point compares it with the curve.
    guard let key = read() else { return nil }
    EVP_PKEY_free(key)
  }

  /// True if the signature of a message was made with the private key of this key.
  ///
  /// - Parameter signature: a number as long as the modulus; for ECDSA two numbers of 32 bytes, as RFC 7518 has them.
  package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    guard let signature = isRSA ? signature : Self.pair(signature), let key = read() else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      // A wrong signature leaves an error, which other users of libcrypto on this thread would find.
      ERR_clear_error()
    }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// Returns a signature of ECDSA in the form that libcrypto reads.
  private static func pair(_ signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 2 * coordinateCount else { return nil }
    return DER.sequence(
      DER.integer(signature.prefix(coordinateCount)),
      DER.integer(signature.suffix(coordinateCount))
    )
  }

  /// Returns the key for libcrypto, which the caller frees.
  private func read() -> OpaquePointer? {
    info.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      let key = d2i_PUBKEY(nil, &next, bytes.count)
      if key == nil { ERR_clear_error() }
      return key
    }
  }
}
