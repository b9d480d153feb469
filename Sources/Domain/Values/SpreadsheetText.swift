/// Text in a cell of a file that people open with a spreadsheet.
package enum SpreadsheetText {
  /// Returns the text with a leading `'` if a spreadsheet would run it as a formula. A text after leading `'` gets another
  /// one, so that removing one restores the original.
  package static func guarded(_ text: String) -> String { isFormula(text) ? "'" + text : text }

  /// True if a spreadsheet takes the text for a formula: it begins with a sign of formulas, in any width.
  ///
  /// What the spreadsheet does not see, or removes, is no beginning: quotes that guard, white space, byte order marks and
  /// other invisible characters. A leading tab or line break is one, because it moves the text to another cell.
  private static func isFormula(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      if starts.contains(scalar) { return true }
      let isSkipped =
        scalar == "'" || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        || scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      guard isSkipped else { return false }
    }
    return false
  }

  private static let starts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n",
    // Of full width, which input methods of East Asia write and spreadsheets there accept.
    "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    // Small, raised and lowered, which become the plain ones by compatibility; the minus of mathematics.
    "\u{FE66}", "\u{FE62}", "\u{FE63}", "\u{FE6B}", "\u{207A}", "\u{207B}", "\u{207C}", "\u{208A}",
    "\u{208B}",
    "\u{208C}", "\u{2212}",
    // The separators of fields in other widths and encodings of a line break.
    "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}",
  ]
}
