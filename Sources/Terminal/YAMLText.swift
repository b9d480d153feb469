/// Formats cells as YAML that parsers of YAML 1.1 and 1.2 read in the same way.
package enum YAMLText {
  /// Returns a mapping, one line per column. The first line starts with `lead`, the others with as many
  /// spaces.
  static func mapping(_ columns: [Column], _ row: [Cell], lead: String) -> String {
    var text = ""
    for (index, (column, cell)) in zip(columns, row).enumerated() {
      text += index == 0 ? lead : String(repeating: " ", count: lead.utf8.count)
      text += scalar(column.key) + ": " + encode(cell) + "\n"
    }
    return text
  }

  /// Returns the cell on one line; lists and nested values are in flow style, as in `[a, {b: 1}]`.
  package static func encode(_ cell: Cell) -> String {
    switch cell {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): JSONText.isNumber(text) ? text : quoted(text)
    case .string(let text): scalar(text)
    case .list(let cells): "[" + cells.map(encode).joined(separator: ", ") + "]"
    case .nested(let fields):
      "{" + fields.map { scalar($0.key) + ": " + encode($0.value) }.joined(separator: ", ") + "}"
    }
  }

  /// Returns the text as a scalar, in quotes unless every parser reads it unchanged without quotes.
  ///
  /// Text without quotes begins with an ASCII letter, consists of ASCII letters, digits, spaces, `_`, `-`,
  /// `.` and `/`, does not end with a space, and is not a word that YAML reads as null or a boolean.
  private static func scalar(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      case UInt8(ascii: " "), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"): true
      default: false
      }
    }
    guard isWord, let first = text.first, first.isLetter, text.last != " " else {
      return quoted(text)
    }
    return reserved.contains(text.lowercased()) ? quoted(text) : text
  }

  /// Returns the text as a double-quoted scalar (YAML 1.2, 5.7 and 7.3.1).
  ///
  /// Escapes characters that YAML forbids and characters that could control a terminal. A character beyond
  /// U+FFFF is one `\U` escape, because YAML has no surrogate pairs.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where isForbidden(scalar) || DisplayText.isHidden(scalar): quoted += escape(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let (sign, width) = scalar.value <= 0xFF ? ("x", 2) : scalar.value <= 0xFFFF ? ("u", 4) : ("U", 8)
    return "\\\(sign)" + String(repeating: "0", count: width - digits.count) + digits
  }

  /// True if a scalar is not in `c-printable` (YAML 1.2, 5.1).
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD: false
    case 0x10000...0x10FFFF: false
    default: true
    }
  }

  /// The words that YAML 1.1 or 1.2 reads as null or a boolean, such as `no`.
  private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
}
