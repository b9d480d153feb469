/// Cells as comma-separated values (RFC 4180): lines end in CR LF, quotes are doubled.
package enum CSVText {
  /// Returns one line with its line end.
  ///
  /// Text that a spreadsheet would run as a formula gets a leading `'`; numbers do not, so `-5` stays a
  /// number. A missing value is empty, an empty text is `""`.
  package static func line(_ cells: [Cell]) -> String {
    cells.map(field).joined(separator: ",") + "\r\n"
  }

  private static func field(_ cell: Cell) -> String {
    switch cell {
    case .null: return ""
    case .number(let text) where JSONText.isNumber(text): return text
    default: break
    }
    var text = cell.plainText
    // Text that already begins with `'` gets another one, so that removing one restores the original.
    if let first = text.unicodeScalars.first(where: { $0 != "'" }), formulaStarts.contains(first) {
      text = "'" + text
    }
    let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 > 0x1F }
    let isBare = isPlain && !text.isEmpty && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    guard !isBare else { return text }
    // Compares scalars: a quote with a combining mark is another Character but still ends a field.
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return String(quoted) + "\""
  }

  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
}
