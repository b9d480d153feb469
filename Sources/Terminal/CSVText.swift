internal import Domain

/// Formats cells as delimiter-separated values (RFC 4180): lines end with CR LF, quotes are doubled.
package enum CSVText {
  /// Returns one line, including CR LF.
  ///
  /// Text that a spreadsheet would run as a formula gets a leading `'`; numbers such as `-5` do not. A
  /// missing value is written as an empty field, an empty text as `""`.
  package static func line(_ cells: [Cell], _ dialect: CSVDialect = .standard) -> String {
    cells.map { field($0, dialect) }.joined(separator: String(Character(dialect.delimiter))) + "\r\n"
  }

  private static func field(_ cell: Cell, _ dialect: CSVDialect) -> String {
    switch cell {
    case .null: return ""
    case .number(let text) where JSONText.isNumber(text):
      guard dialect.hasDecimalComma, text.utf8.contains(UInt8(ascii: ".")) else { return text }
      let number = String(text.map { $0 == "." ? "," : $0 })
      return dialect.delimiter == "," ? "\"\(number)\"" : number
    default: break
    }
    let text = SpreadsheetText.guarded(cell.plainText)
    let delimiter = UInt8(ascii: dialect.delimiter)
    let isPlain = text.utf8.allSatisfy { $0 != delimiter && $0 != UInt8(ascii: "\"") && $0 > 0x1F }
    let isBare = isPlain && !text.isEmpty && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    guard !isBare else { return text }
    // Compares scalars, because a quote with a combining mark is another Character but ends a field too.
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return String(quoted) + "\""
  }
}
