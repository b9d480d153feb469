/// Cells as JSON (RFC 8259).
package enum JSONText {
  /// The cell on one line.
  package static func encode(_ cell: Cell) -> String {
    var text = ""
    append(cell, to: &text, indentation: nil)
    return text
  }

  /// The cell with every member on a line of its own, indented by two spaces.
  package static func encodePretty(_ cell: Cell) -> String {
    var text = ""
    append(cell, to: &text, indentation: 0)
    return text
  }

  /// The text in quotes.
  ///
  /// Besides what JSON demands, everything is escaped that could act on a terminal; a parser sees no
  /// difference.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where !scalar.isASCII || scalar.value < 0x20 || scalar.value == 0x7F:
        if DisplayText.isHidden(scalar) {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Whether JSON has a spelling for this number: not for NaN, infinities, `+1`, `.5` or `01`.
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

  /// Members with their commas and, when pretty, their lines.
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
