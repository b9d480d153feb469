/// Single cells formatted for people.
enum PeopleText {
  /// Returns the cell on one line, neutralised: `-` for null, yes and no, commas in lists.
  static func text(_ cell: Cell, _ kind: Column.Kind) -> String {
    switch cell {
    case .null: "-"
    case .bool(let value): value ? "yes" : "no"
    case .string(let text) where kind == .instant: DisplayText.neutralized(instant(text))
    case .string(let text), .number(let text): DisplayText.neutralized(text)
    case .list(let cells): cells.map { self.text($0, .text) }.joined(separator: ", ")
    case .nested(let fields):
      fields.map { "\(DisplayText.neutralized($0.key)): \(text($0.value, .text))" }.joined(separator: ", ")
    }
  }

  /// Returns the color of a status.
  static func color(_ cell: Cell, _ kind: Column.Kind) -> Color? {
    guard case .status(let colors) = kind, case .string(let word) = cell else { return nil }
    return colors[word]
  }

  /// Shortens `2026-03-28T21:00:00.123456Z` to `2026-03-28 21:00:00Z`.
  private static func instant(_ text: String) -> String {
    guard let separator = text.firstIndex(of: "T") else { return text }
    let time = text[text.index(after: separator)...]
    let clock = time.prefix { $0 != "." }
    let zone = clock.endIndex == time.endIndex ? "" : time[clock.endIndex...].dropFirst().drop { $0.isNumber }
    return "\(text[..<separator]) \(clock)\(zone)"
  }
}
