internal import CLibCrypto

/// SHA-256, computed by libcrypto.
package enum SHA256 {
  /// The number of bytes in a digest.
  package static let byteCount = 32

  /// Returns the 32-byte SHA-256 digest of the bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      // These calls cannot fail on allocated memory.
      var context = SHA256_CTX()
      SHA256_Init(&context)
      SHA256_Update(&context, input, input.count)
      SHA256_Final(output.baseAddress, &context)
      count = byteCount
    }
  }

  /// Returns the 32-byte SHA-256 digest of the text in UTF-8.
  package static func hash(_ text: String) -> [UInt8] { hash(text.utf8) }
}

/// MD5 (RFC 1321), to derive ids from names; offers no security.
package enum MD5 {
  /// Returns the 16-byte digest of the text in UTF-8.
  package static func hash(_ text: String) -> [UInt8] {
    let input = Array(text.utf8)
    return [UInt8](unsafeUninitializedCapacity: 16) { output, count in
      EVP_Digest(input, input.count, output.baseAddress, nil, EVP_md5(), nil)
      count = 16
    }
  }
}

/// HMAC-SHA256 (RFC 2104), computed by libcrypto.
package enum HMACSHA256 {
  /// Returns the 32-byte authentication code of a message under a key.
  package static func code(for message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    let input = Array(message)
    return [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { output, count in
      var written: UInt32 = 0
      _ = HMAC(EVP_sha256(), key, Int32(key.count), input, input.count, output.baseAddress, &written)
      count = Int(written)
    }
  }

  /// Returns true if the code matches the message and key. The time depends only on the lengths.
  package static func isValid(_ code: [UInt8], for message: some Sequence<UInt8>, key: [UInt8]) -> Bool {
    constantTimeEqual(code, self.code(for: message, key: key))
  }
}

/// Returns true if two byte strings are equal. The time depends only on their lengths, so that latency does
/// not reveal how many bytes of a guess were right.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
