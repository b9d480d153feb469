/// Formats a YAML document in a readable layout: short collections on one line, others as blocks.
package enum YAMLDocumentText {
  private static let width = 100

  /// Returns the document of a cell, with members in the cell's order. Equal cells produce equal text.
  package static func encode(_ cell: Cell) -> String {
    var text = ""
    write(cell, indentation: 0, to: &text)
    return text
  }

  private static func write(_ cell: Cell, indentation: Int, to text: inout String) {
    let margin = String(repeating: " ", count: indentation)
    switch cell {
    case .nested(let fields) where !fields.isEmpty:
      for field in fields {
        let key = YAMLText.encode(.string(field.key))
        write(field.value, after: "\(margin)\(key):", indentation: indentation + 2, to: &text)
      }
    case .list(let cells) where !cells.isEmpty:
      for cell in cells {
        if let line = flow(cell, room: width - indentation - 2) {
          text += "\(margin)- \(line)\n"
        } else {
          // The first line of a block in a list is on the line of the dash.
          var block = ""
          write(cell, indentation: indentation + 2, to: &block)
          text += "\(margin)- \(block.dropFirst(indentation + 2))"
        }
      }
    default: text += "\(margin)\(YAMLText.encode(cell))\n"
    }
  }

  private static func write(_ cell: Cell, after lead: String, indentation: Int, to text: inout String) {
    if let line = flow(cell, room: width - lead.count - 1) {
      text += "\(lead) \(line)\n"
    } else {
      text += "\(lead)\n"
      write(cell, indentation: indentation, to: &text)
    }
  }

  /// Returns the cell on one line; nil if it is a collection that is too long or too deep for one line.
  private static func flow(_ cell: Cell, room: Int) -> String? {
    let isSmall: Bool
    switch cell {
    case .nested(let fields): isSmall = fields.allSatisfy { isSingle($0.value) }
    case .list(let cells): isSmall = cells.allSatisfy(isSingle)
    default: return YAMLText.encode(cell)
    }
    guard isSmall else { return nil }
    let line = spaced(cell)
    return line.count <= room || line.count <= 2 ? line : nil
  }

  private static func isSingle(_ cell: Cell) -> Bool {
    switch cell {
    case .nested(let fields): fields.isEmpty
    case .list(let cells):
      cells.count <= 4
        && cells.allSatisfy { if case .list = $0 { false } else if case .nested = $0 { false } else { true } }
    default: true
    }
  }

  private static func spaced(_ cell: Cell) -> String {
    guard case .nested(let fields) = cell, !fields.isEmpty else { return YAMLText.encode(cell) }
    return "{ " + YAMLText.encode(cell).dropFirst().dropLast() + " }"
  }
}
