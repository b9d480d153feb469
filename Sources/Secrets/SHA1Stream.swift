internal import CLibCrypto

/// Incremental SHA-1, for checksums of protocols that require it; offers no security.
package struct SHA1Stream: Sendable {
  private var context = SHA_CTX()

  /// Creates the digest state of no data.
  package init() {
    // These calls cannot fail on allocated memory.
    SHA1_Init(&context)
  }

  /// Appends bytes.
  package mutating func update(_ bytes: [UInt8]) {
    SHA1_Update(&context, bytes, bytes.count)
  }

  /// Returns the 20-byte SHA-1 digest of all appended bytes.
  package consuming func digest() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 20) { output, count in
      SHA1_Final(output.baseAddress, &context)
      count = 20
    }
  }
}
