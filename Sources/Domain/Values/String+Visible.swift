extension Character {
  /// True if the character leaves a mark on a page: a letter, a digit, a sign or a picture.
  ///
  /// White space, controls, marks of the writing direction, fillers and joiners show nothing, and neither does an accent
  /// without a letter.
  package var isVisible: Bool { unicodeScalars.contains(where: \.isVisible) }
}

extension Unicode.Scalar {
  fileprivate var isVisible: Bool {
    if 0x21..<0x7F ~= value { return true }
    // The empty pattern of Braille is a blank in all but its category.
    guard !properties.isDefaultIgnorableCodePoint, value != 0x2800 else { return false }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .enclosingMark:
      return false
    default: return true
    }
  }
}

extension String {
  /// True if the text shows something. A required text must; a text of blanks and invisible characters is none.
  package var isVisible: Bool { contains(where: \.isVisible) }

  /// The number of characters that a reader can count: visible ones, and the white space between them.
  package var visibleCount: Int {
    let seen = filter { $0.isVisible || $0.isWhitespace }
    return seen.trimmingSpaces().count
  }
}
