package import FoundationEssentials

extension UUID {
  /// Returns the UUID (RFC 9562, version 8) of a namespace and parts: 122 bits of their SHA-256.
  ///
  /// The namespace and each part are preceded by their lengths, so that `["ab", "c"]` and `["a", "bc"]`
  /// differ.
  package static func deterministic(namespace: String, parts: [[UInt8]]) -> UUID {
    var input: [UInt8] = []
    input.reserveCapacity(256)
    func append(_ part: some Collection<UInt8>) {
      withUnsafeBytes(of: UInt64(part.count).bigEndian) { input.append(contentsOf: $0) }
      input.append(contentsOf: part)
    }
    append(namespace.utf8)
    for part in parts { append(part) }
    let digest = SHA256.hash(input).prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    let versionAndVariant: UInt128 = 0xF << 76 | 0b11 << 62
    return UUID(number: digest & ~versionAndVariant | 0x8 << 76 | 0b10 << 62)
  }
}
