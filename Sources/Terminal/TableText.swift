/// The table format: columns two spaces apart, truncated to the terminal's width, unchanged in a pipe.
enum TableText {
  private static let gap = "  "
  /// The minimum width of a readable column.
  private static let narrowest = 6

  static func render(_ table: Table, on screen: Screen) -> String {
    guard !table.columns.isEmpty else { return "" }
    let titles = table.columns.map { DisplayText.neutralized($0.title) }
    let texts = table.rows.map { row in zip(row, table.columns).map { PeopleText.text($0, $1.kind) } }
    let natural = table.columns.indices.map { index in
      texts.reduce(DisplayText.width(titles[index])) { max($0, DisplayText.width($1[index])) }
    }
    guard let widths = fitted(natural, table.columns, to: screen.width) else {
      return records(table, on: screen)
    }
    let heading = line(titles.map { ($0, nil) }, table.columns, widths, on: screen, isBold: true)
    let body = zip(table.rows, texts).map { row, texts in
      let cells = zip(texts, zip(row, table.columns)).map { ($0, PeopleText.color($1.0, $1.1.kind)) }
      return line(cells, table.columns, widths, on: screen, isBold: false)
    }
    return heading + body.joined()
  }

  /// Returns the fitting widths by truncating the widest texts first; `nil` if the terminal is too narrow for
  /// these columns. Numbers, times and statuses are never truncated: half of one is misleading.
  private static func fitted(_ natural: [Int], _ columns: [Column], to width: Int?) -> [Int]? {
    guard let width else { return natural }
    var widths = natural
    var excess = natural.reduce(gap.count * (natural.count - 1), +) - width
    let texts = columns.indices.filter { columns[$0].kind == .text }
    while excess > 0 {
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest else {
        return nil
      }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }

  private static func line(
    _ cells: [(text: String, color: Color?)],
    _ columns: [Column],
    _ widths: [Int],
    on screen: Screen,
    isBold: Bool
  ) -> String {
    var line = ""
    var pending = ""  // spaces that are written only if something follows
    for (index, cell) in cells.enumerated() {
      let text = DisplayText.truncated(cell.text, to: widths[index])
      let space = String(repeating: " ", count: widths[index] - DisplayText.width(text))
      let isRight = columns[index].alignment == .right
      if text.isEmpty {
        pending += space + gap
        continue
      }
      line += pending + (isRight ? space : "") + screen.styled(text, cell.color, isBold: isBold)
      pending = (isRight ? "" : space) + gap
    }
    return line + "\n"
  }

  /// The format for terminals too narrow for the table: one detail view per row.
  private static func records(_ table: Table, on screen: Screen) -> String {
    table.rows.map { DetailText.render(table.columns, $0, on: screen) }.joined(separator: "\n")
  }
}
