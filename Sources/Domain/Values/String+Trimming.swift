extension String {
  /// Returns the text without white space at its ends.
  package func trimmingSpaces() -> String {
    // Most texts begin and end with a visible ASCII character.
    if let first = utf8.first, let last = utf8.last, 0x21..<0x7F ~= first, 0x21..<0x7F ~= last { return self }
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
