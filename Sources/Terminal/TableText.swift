/// Formats a table for people: columns two spaces apart, fitted to the terminal; not limited in pipes.
enum TableText {
  private static let gap = "  "

  /// Formats a table. A list stays a list on a narrow terminal: columns that do not fit are left out and named.
  ///
  /// - Parameters:
  ///   - isChosen: true to leave out no column, but to write each row as a record if they do not fit.
  ///   - more: the option that shows columns that are left out.
  static func render(
    _ table: Table,
    on screen: Screen,
    isChosen: Bool = false,
    more: String = "--columns"
  ) -> String {
    guard !table.columns.isEmpty else { return "" }
    let (texts, layout) = arranged(table, on: screen)
    if isChosen, !layout.left(of: table.columns).isEmpty {
      return table.rows.map { DetailText.render(table.columns, $0, on: screen) }.joined(separator: "\n")
    }
    let heading = layout.headings.map { words in
      line(words.map { ($0, nil) }, table.columns, layout, on: screen, isBold: true)
    }
    let body = zip(table.rows, texts).map { row, texts in
      let colors = zip(row, table.columns).map { PeopleText.color($0, $1.kind) }
      let cells = layout.columns.enumerated().map { position, column in
        layout.wrapped.contains(column)
          ? texts[column].flatMap { DisplayText.wrapped($0, to: layout.widths[position]) }
          : texts[column].map { DisplayText.cut($0, to: layout.widths[position]) }
      }
      return (0..<max(1, cells.map(\.count).max() ?? 1)).map { index in
        line(
          zip(layout.columns, cells).map { (index < $1.count ? $1[index] : "", colors[$0]) },
          table.columns,
          layout,
          on: screen,
          isBold: false
        )
      }.joined()
    }
    return heading.joined() + body.joined() + note(on: layout.left(of: table.columns), screen, more)
  }

  /// Returns true if no column of the table is left out.
  static func fits(_ table: Table, on screen: Screen) -> Bool {
    arranged(table, on: screen).layout.left(of: table.columns).isEmpty
  }

  /// Returns the lines of the cells and their layout. Where the table is too wide, times are short.
  private static func arranged(_ table: Table, on screen: Screen) -> (
    texts: [[[String]]], layout: TableLayout
  ) {
    let titles = table.columns.map { DisplayText.neutralized($0.title) }
    func arrange(isShort: Bool) -> (texts: [[[String]]], layout: TableLayout) {
      let texts = table.rows.map { row in
        zip(row, table.columns).map { PeopleText.lines($0, $1.kind, by: screen.clock, isShort: isShort) }
      }
      return (texts, TableLayout(titles: titles, values: texts, table, width: screen.width))
    }
    let whole = arrange(isShort: false)
    return whole.layout.isWhole ? whole : arrange(isShort: true)
  }

  /// Returns the lines that name the columns which are left out. A list for `--columns` is broken after a comma.
  private static func note(on left: [Column], _ screen: Screen, _ more: String) -> String {
    guard let width = screen.width, !left.isEmpty else { return "" }
    let names = left.map { DisplayText.neutralized($0.key) }
    let count = "\(left.count) more column\(left.count == 1 ? "" : "s")"
    var lines: [String]
    if more == "--columns" {
      lines = DisplayText.wrapped("\(count): \(more)", to: width)
      for (index, name) in names.enumerated() {
        let text = (index == 0 ? " " : "") + name + (index == names.count - 1 ? "" : ",")
        let isFull = DisplayText.width((lines.last ?? "") + text) > width
        if isFull {
          lines.append(index == 0 ? String(text.dropFirst()) : text)
        } else {
          lines[lines.count - 1] += text
        }
      }
    } else {
      lines = DisplayText.wrapped("\(count) (\(names.joined(separator: ", "))): \(more)", to: width)
    }
    return lines.map { screen.styled($0, .gray) + "\n" }.joined()
  }

  private static func line(
    _ cells: [(text: String, color: Color?)],
    _ columns: [Column],
    _ layout: TableLayout,
    on screen: Screen,
    isBold: Bool
  ) -> String {
    var line = ""
    var pending = ""  // spaces that are written only before further text
    for (index, cell) in cells.enumerated() {
      let space = String(repeating: " ", count: max(0, layout.widths[index] - DisplayText.width(cell.text)))
      let isRight = columns[layout.columns[index]].alignment == .right
      if cell.text.isEmpty {
        pending += space + gap
        continue
      }
      line += pending + (isRight ? space : "") + screen.styled(cell.text, cell.color, isBold: isBold)
      pending = (isRight ? "" : space) + gap
    }
    return line + "\n"
  }
}
