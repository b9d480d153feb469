internal import Domain

/// Comma-separated values (RFC 4180), as the command line writes them.
enum CSVLine {
  /// Returns one line, including CR LF. Text that a spreadsheet would run as a formula gets a leading `'`.
  static func of(_ values: [JSONValue]) -> String { values.map(field).joined(separator: ",") + "\r\n" }

  private static func field(_ value: JSONValue) -> String {
    switch value {
    case .null: return ""
    case .number(let number): return number.text
    case .bool(let flag): return flag ? "true" : "false"
    default: break
    }
    let text = SpreadsheetText.guarded(value.string ?? value.text)
    let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") && $0 > 0x1F }
    if isPlain, !text.isEmpty, !text.hasPrefix(" "), !text.hasSuffix(" ") { return text }
    // Compares scalars, because a quote with a combining mark is another Character but ends a field too.
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return String(quoted) + "\""
  }
}
