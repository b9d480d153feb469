extension String {
  /// Returns the text without leading and trailing white space.
  package func trimmingSpaces() -> String {
    // Fast path: most texts begin and end with a byte that is not white space.
    if let first = utf8.first, let last = utf8.last, 0x21..<0x7F ~= first, 0x21..<0x7F ~= last { return self }
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
