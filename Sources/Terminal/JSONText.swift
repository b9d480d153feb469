internal import Domain

/// Formats cells as JSON (RFC 8259).
package enum JSONText {
  /// Returns the cell on one line.
  package static func encode(_ cell: Cell) -> String {
    var text = ""
    append(cell, to: &text, indentation: nil)
    return text
  }

  /// Returns the cell with one member per line, indented by two spaces.
  package static func encodePretty(_ cell: Cell) -> String {
    var text = ""
    append(cell, to: &text, indentation: 0)
    return text
  }

  /// Returns the text as a JSON string, in which hidden characters (``DisplayText/isHidden(_:)``) are escaped
  /// too.
  static func quoted(_ text: String) -> String {
    var quoted = ""
    JSONString.append(text, to: &quoted, escaping: DisplayText.isHidden)
    return quoted
  }

  /// True if the text is a JSON number; false for `NaN`, `Infinity`, `+1`, `.5` and `01`.
  static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text).utf8
    func digits() -> Int {
      let run = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(run.count)
      return run.count
    }
    func skip(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = skip("-")
    if !skip("0"), digits() == 0 { return false }
    if skip("."), digits() == 0 { return false }
    if skip("eE") {
      _ = skip("+-")
      if digits() == 0 { return false }
    }
    return rest.isEmpty
  }

  private static func append(_ cell: Cell, to text: inout String, indentation: Int?) {
    switch cell {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += isNumber(number) ? number : quoted(number)
    case .string(let string): text += quoted(string)
    case .list(let cells):
      append(cells, between: ("[", "]"), to: &text, indentation: indentation) { cell, text, deeper in
        append(cell, to: &text, indentation: deeper)
      }
    case .nested(let fields):
      append(fields, between: ("{", "}"), to: &text, indentation: indentation) { field, text, deeper in
        text += quoted(field.key) + (deeper == nil ? ":" : ": ")
        append(field.value, to: &text, indentation: deeper)
      }
    }
  }

  /// Appends members between brackets, separated by commas and, with an indentation, by line breaks.
  private static func append<Member>(
    _ members: [Member],
    between brackets: (String, String),
    to text: inout String,
    indentation: Int?,
    each: (Member, inout String, Int?) -> Void
  ) {
    let deeper = indentation.map { $0 + 2 }
    let newLine = { (depth: Int?) in depth.map { "\n" + String(repeating: " ", count: $0) } ?? "" }
    text += brackets.0
    for (index, member) in members.enumerated() {
      text += (index > 0 ? "," : "") + newLine(deeper)
      each(member, &text, deeper)
    }
    text += (members.isEmpty ? "" : newLine(indentation)) + brackets.1
  }
}
