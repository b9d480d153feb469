/// The syntax of names of types, columns and definitions.
package enum Identifier {
  /// True if the text is a lower-case word such as `in_progress`.
  ///
  /// A word is a letter a-z, then letters, digits and underscores. It has at most 63 bytes, as names in
  /// PostgreSQL.
  package static func isWord(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7A).contains(first), text.utf8.count <= 63 else {
      return false
    }
    return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }

  /// True if the text is words joined by dots, such as `maintenance.entry`.
  ///
  /// - Parameter words: the allowed number of words.
  package static func isDotted(_ text: String, words: ClosedRange<Int> = 1...4) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return words.contains(parts.count) && parts.allSatisfy(isWord)
  }
}
