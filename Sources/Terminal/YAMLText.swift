/// Cells as YAML 1.2, written so that a YAML 1.1 reader understands the same.
package enum YAMLText {
  /// A mapping, one line per column; the first line starts with `lead` and the others with as many spaces.
  static func mapping(_ columns: [Column], _ row: [Cell], lead: String) -> String {
    var text = ""
    for (index, (column, cell)) in zip(columns, row).enumerated() {
      text += index == 0 ? lead : String(repeating: " ", count: lead.utf8.count)
      text += scalar(column.key) + ": " + encode(cell) + "\n"
    }
    return text
  }

  /// The cell on one line; lists and nested values in the flow style, which is JSON with spaces.
  package static func encode(_ cell: Cell) -> String {
    switch cell {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): JSONText.isNumber(text) ? text : JSONText.quoted(text)
    case .string(let text): scalar(text)
    case .list(let cells): "[" + cells.map(encode).joined(separator: ", ") + "]"
    case .nested(let fields):
      "{" + fields.map { scalar($0.key) + ": " + encode($0.value) }.joined(separator: ", ") + "}"
    }
  }

  /// The text bare if every reader takes it for just this text, else in quotes.
  ///
  /// Bare is for words of letters, digits and a few harmless signs that start with a letter, hence never for
  /// dates, numbers, indicators or escapes, and not for the words that YAML reads as something else.
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
      return JSONText.quoted(text)
    }
    return reserved.contains(text.lowercased()) ? JSONText.quoted(text) : text
  }

  /// Null and booleans of YAML 1.1 and 1.2 (so Norway's `no` stays a text).
  private static let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
}
