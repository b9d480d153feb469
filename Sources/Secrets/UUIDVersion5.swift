internal import CLibCrypto
package import FoundationEssentials

extension UUID {
  /// Returns the UUID of version 5 (RFC 9562) of a namespace and a name: 122 bits of their SHA-1.
  ///
  /// For ids that must be equal in all runs; offers no security.
  package static func version5(namespace: UUID, name: String) -> UUID {
    let prefix = withUnsafeBytes(of: namespace.uuid) { Array($0) }
    let input = prefix + Array(name.utf8)
    let digest = [UInt8](unsafeUninitializedCapacity: 20) { output, count in
      // These calls cannot fail on allocated memory.
      var context = SHA_CTX()
      SHA1_Init(&context)
      SHA1_Update(&context, input, input.count)
      SHA1_Final(output.baseAddress, &context)
      count = 20
    }
    let number = digest.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    let versionAndVariant: UInt128 = 0xF << 76 | 0b11 << 62
    return UUID(number: number & ~versionAndVariant | 0x5 << 76 | 0b10 << 62)
  }
}
