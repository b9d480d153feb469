package import FoundationEssentials

/// Codes that replace a second factor, each once: 16 characters in four groups, with 80 random bits.
package enum RecoveryCode {
  /// The number of codes that a user has.
  package static let count = 10

  /// Returns a new code, to be shown once.
  package static func make() -> String {
    let characters = Array(Base32.encode(SecureRandom.bytes(10)))
    return stride(from: 0, to: characters.count, by: 4)
      .map { String(characters[$0..<$0 + 4]) }
      .joined(separator: "-")
  }

  /// Returns the form that is stored. Case, spaces and hyphens of the code are ignored.
  ///
  /// The user's id is hashed too, so that one list of hashes cannot be searched for all users at once.
  package static func hash(_ code: String, of user: UUID) -> [UInt8] {
    let plain = code.uppercased().filter { $0 != "-" && $0 != " " }
    return SHA256.hash("\(user.uuidString.lowercased())\n\(plain)")
  }
}
