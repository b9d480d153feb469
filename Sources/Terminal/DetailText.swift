/// One record for people: one title and value per line.
enum DetailText {
  static func render(_ columns: [Column], _ row: [Cell], on screen: Screen) -> String {
    let titles = columns.map { DisplayText.neutralized($0.title) + ":" }
    let width = titles.map(DisplayText.width).max() ?? 0
    let indentation = String(repeating: " ", count: width + 2)
    var text = ""
    for (title, (cell, column)) in zip(titles, zip(row, columns)) {
      // Each line of a longer text is neutralised and indented, so that it cannot imitate a field.
      var lines = lines(of: cell, column.kind)
      if let available = screen.width.map({ max(20, $0 - width - 2) }) {
        lines = lines.flatMap { DisplayText.wrapped($0, to: available) }
      }
      let color = PeopleText.color(cell, column.kind)
      let padding = String(repeating: " ", count: width - DisplayText.width(title) + 2)
      text += screen.styled(title, isBold: true) + padding
      text += lines.map { screen.styled($0, color) }.joined(separator: "\n" + indentation) + "\n"
    }
    return text
  }

  private static func lines(of cell: Cell, _ kind: Column.Kind) -> [String] {
    guard case .string(let text) = cell, !text.isEmpty else { return [PeopleText.text(cell, kind)] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map {
      PeopleText.text(.string(String($0)), kind)
    }
  }
}
