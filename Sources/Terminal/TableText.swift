/// Formats a table for people: columns two spaces apart, fitted to the terminal; not limited in pipes.
enum TableText {
  private static let gap = "  "
  /// The minimum width of truncated text, in columns.
  private static let narrowest = 12

  static func render(_ table: Table, on screen: Screen) -> String {
    guard !table.columns.isEmpty else { return "" }
    let titles = table.columns.map { DisplayText.neutralized($0.title) }
    let texts = table.rows.map { row in
      zip(row, table.columns).map { PeopleText.text($0, $1.kind, by: screen.clock) }
    }
    let values = table.columns.indices.map { index in
      texts.reduce(0) { max($0, DisplayText.width($1[index])) }
    }
    guard let layout = Layout(titles: titles, values: values, table.columns, width: screen.width) else {
      return records(table, on: screen)
    }
    let heading = layout.headings.map { words in
      line(words.map { ($0, nil) }, table.columns, layout.widths, on: screen, isBold: true)
    }
    let body = zip(table.rows, texts).map { row, texts in
      let cells = zip(texts, zip(row, table.columns)).map { ($0, PeopleText.color($1.0, $1.1.kind)) }
      return line(cells, table.columns, layout.widths, on: screen, isBold: false)
    }
    return heading.joined() + body.joined()
  }

  /// The widths of the columns and the lines of the heading.
  private struct Layout {
    let widths: [Int]
    let headings: [[String]]

    /// Fits the columns to a width: breaks headings at spaces, then truncates text columns, the widest first.
    ///
    /// Nil if the width is too small. Numbers, times, statuses and ids are not truncated, because a part of
    /// them would mislead.
    init?(titles: [String], values: [Int], _ columns: [Column], width: Int?) {
      let gaps = TableText.gap.count * (columns.count - 1)
      let natural = zip(titles, values).map { max(DisplayText.width($0), $1) }
      guard let width, natural.reduce(gaps, +) > width else {
        (widths, headings) = (natural, [titles])
        return
      }
      let words = titles.map { $0.split(separator: " ").map(String.init) }
      var widths = zip(words, values).map { words, value in
        max(words.map(DisplayText.width).max() ?? 0, value)
      }
      let least = columns.indices.map { index in
        columns[index].kind == .text ? min(widths[index], TableText.narrowest) : widths[index]
      }
      var excess = widths.reduce(gaps, +) - width
      while excess > 0 {
        let cuttable = columns.indices.filter { widths[$0] > least[$0] }
        guard let widest = cuttable.max(by: { widths[$0] < widths[$1] }) else { return nil }
        widths[widest] -= 1
        excess -= 1
      }
      self.widths = widths
      let lines = zip(titles, widths).map { DisplayText.wrapped($0, to: $1) }
      let height = lines.map(\.count).max() ?? 1
      headings = (0..<height).map { row in
        // A heading with fewer lines is at the bottom, next to its values.
        lines.map { row < height - $0.count ? "" : $0[row - (height - $0.count)] }
      }
    }
  }

  private static func line(
    _ cells: [(text: String, color: Color?)],
    _ columns: [Column],
    _ widths: [Int],
    on screen: Screen,
    isBold: Bool
  ) -> String {
    var line = ""
    var pending = ""  // spaces that are written only before further text
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

  /// Returns one detail view per row, for terminals that are too narrow for the table.
  private static func records(_ table: Table, on screen: Screen) -> String {
    table.rows.map { DetailText.render(table.columns, $0, on: screen) }.joined(separator: "\n")
  }
}
