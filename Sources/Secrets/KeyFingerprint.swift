/// The fingerprint of a key, by which a database knows its key file without holding a key.
///
/// A key is 32 random bytes, so its hash tells nothing about it.
package struct KeyFingerprint: Sendable, Hashable {
  /// The purpose of the key.
  package let purpose: String
  /// The version of the key.
  package let version: Int
  /// SHA-256 of purpose, version and key.
  package let bytes: [UInt8]

  package init(purpose: String, version: Int, bytes: [UInt8]) {
    self.purpose = purpose
    self.version = version
    self.bytes = bytes
  }

  init(of key: Keys.Version, _ purpose: Keys.Purpose) {
    self.init(
      purpose: purpose.rawValue,
      version: key.number,
      bytes: SHA256.hash(Array("fettle key\n\(purpose.rawValue)\n\(key.number)\n".utf8) + key.bytes)
    )
  }

  /// The beginning, for people.
  package var short: String { Hex.encode(Array(bytes.prefix(4))) }
}

extension Keys {
  /// The fingerprints of the newest version of each key.
  package var fingerprints: [KeyFingerprint] {
    Purpose.allCases.compactMap { purpose in all(purpose).last.map { KeyFingerprint(of: $0, purpose) } }
  }

  /// The fingerprints of all versions.
  package var allFingerprints: [KeyFingerprint] {
    Purpose.allCases.flatMap { purpose in all(purpose).map { KeyFingerprint(of: $0, purpose) } }
  }

  /// Returns the first registered key that is not among these; nil if all are. Keys of purposes that this program does
  /// not know are left out.
  package func foreign(to registered: [KeyFingerprint]) -> KeyFingerprint? {
    let own = Set(allFingerprints)
    return registered.first { Purpose(rawValue: $0.purpose) != nil && !own.contains($0) }
  }
}
