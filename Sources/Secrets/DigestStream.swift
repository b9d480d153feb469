internal import CLibCrypto

/// Incremental SHA-256, for data that need not be in memory at once.
package struct SHA256Stream: Sendable {
  private var context = SHA256_CTX()

  /// Creates the digest state of no data.
  package init() {
    // These calls cannot fail on allocated memory.
    SHA256_Init(&context)
  }

  /// Appends bytes.
  package mutating func update(_ bytes: [UInt8]) {
    SHA256_Update(&context, bytes, bytes.count)
  }

  /// Returns the 32-byte digest of all appended bytes.
  package consuming func digest() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { output, count in
      SHA256_Final(output.baseAddress, &context)
      count = SHA256.byteCount
    }
  }
}
