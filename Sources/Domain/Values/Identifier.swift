/// What names in definitions, columns and types may look like.
package enum Identifier {
  /// Whether this is a lower-case word such as `in_progress`: a letter, then letters, digits and underscores,
  /// at most 63 of them, which is what PostgreSQL keeps of a name.
  package static func isWord(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 63 else {
      return false
    }
    return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  /// Whether this is words joined by dots, such as `maintenance.entry`.
  package static func isDotted(_ text: String, words: ClosedRange<Int> = 1...4) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return words.contains(parts.count) && parts.allSatisfy(isWord)
  }
}
