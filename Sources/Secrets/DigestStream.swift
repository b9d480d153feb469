internal import CLibCrypto

/// SHA-256 of bytes that come piece by piece, so that what they are part of need not be in memory at once.
package struct SHA256Stream {
  private var context = SHA256_CTX()

  /// The digest of nothing, so far.
  package init() {
    // None of the three can fail on memory that is in place.
    SHA256_Init(&context)
  }

  /// Adds bytes behind those that were added before.
  package mutating func update(_ bytes: [UInt8]) {
    SHA256_Update(&context, bytes, bytes.count)
  }

  /// The 32-byte digest of all that was added.
  package consuming func digest() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { output, count in
      SHA256_Final(output.baseAddress, &context)
      count = SHA256.byteCount
    }
  }
}
