/// Formats single cells for people.
enum PeopleText {
  /// Returns the cell as neutralised text on one line: null as `-`, booleans as `yes` and `no`, lists with
  /// commas, times by the clock, to the minute if short.
  static func text(_ cell: Cell, _ kind: Column.Kind, by clock: ZoneClock? = nil, isShort: Bool = false)
    -> String
  {
    switch cell {
    case .null: "-"
    case .bool(let value): value ? "yes" : "no"
    case .string(let text) where kind == .instant:
      DisplayText.neutralized(MomentText.text(text, by: clock, isShort: isShort))
    case .string(let text), .number(let text): DisplayText.neutralized(text)
    case .list(let cells): cells.map { self.text($0, .text) }.joined(separator: ", ")
    case .nested(let fields):
      fields.map { "\(DisplayText.neutralized($0.key)): \(text($0.value, .text))" }.joined(separator: ", ")
    }
  }

  /// Returns the lines of a cell: those of a list of findings, else one.
  static func lines(_ cell: Cell, _ kind: Column.Kind, by clock: ZoneClock? = nil, isShort: Bool) -> [String]
  {
    guard kind == .advice, case .list(let cells) = cell else {
      return [text(cell, kind, by: clock, isShort: isShort)]
    }
    return cells.map { text($0, kind, by: clock) }
  }

  /// Returns the color of a status; nil for other kinds and for statuses without a color.
  static func color(_ cell: Cell, _ kind: Column.Kind) -> Color? {
    guard case .status(let colors) = kind, case .string(let word) = cell else { return nil }
    return colors[word]
  }
}
