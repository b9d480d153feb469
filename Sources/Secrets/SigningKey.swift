internal import CLibCrypto

/// A private key for ECDSA on P-256 with SHA-256 (ES256).
package final class SigningKey {
  /// The maximum size of a key file in bytes.
  private static let limit = 16_384

  private let key: OpaquePointer

  /// Reads a key that is not encrypted; nil for any other text.
  ///
  /// - Parameter pem: the key as PEM (PKCS #8 or SEC 1).
  package init?(pem: String) {
    defer { ERR_clear_error() }
    let text = Array(pem.utf8)
    guard text.count <= Self.limit, let input = BIO_new_mem_buf(text, Int32(text.count)) else { return nil }
    defer { BIO_free(input) }
    // Without a function of ours, libcrypto would ask for the password of an encrypted key at the terminal.
    guard let key = PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil) else { return nil }
    var curve = [CChar](repeating: 0, count: 32)
    var count = 0
    guard EVP_PKEY_get_group_name(key, &curve, curve.count, &count) == 1,
      curve.prefix(count).elementsEqual("prime256v1".utf8.map(CChar.init))
    else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Returns the signature of a message as two numbers of 32 bytes (RFC 7518, section 3.4); nil if libcrypto fails.
  package func sign(_ message: [UInt8]) -> [UInt8]? {
    defer { ERR_clear_error() }
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var encoded = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
    var count = encoded.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      EVP_DigestSign(context, &encoded, &count, message, message.count) == 1
    else { return nil }
    let pair = encoded.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &next, count)
    }
    guard let pair else { return nil }
    defer { ECDSA_SIG_free(pair) }
    let half = Int32(PublicKey.coordinateCount)
    var (first, second) = ([UInt8](repeating: 0, count: Int(half)), [UInt8](repeating: 0, count: Int(half)))
    guard BN_bn2binpad(ECDSA_SIG_get0_r(pair), &first, half) == half,
      BN_bn2binpad(ECDSA_SIG_get0_s(pair), &second, half) == half
    else { return nil }
    return first + second
  }
}
