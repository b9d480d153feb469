/// Formats one record for people: one field with title and value per line.
enum DetailText {
  static func render(_ columns: [Column], _ row: [Cell], on screen: Screen) -> String {
    let width = columns.map { DisplayText.width(title($0)) }.max() ?? 0
    return render(columns, row, titleWidth: width, on: screen)
  }

  /// Returns the groups one below the other, each under its heading; the values of all groups are aligned.
  static func render(_ groups: [DetailGroup], on screen: Screen) -> String {
    let width =
      groups.flatMap(\.titles).map(DisplayText.width).max() ?? 0
    let parts = groups.compactMap { group -> String? in
      var text =
        group.title.map { screen.styled(DisplayText.neutralized($0), .cyan, isBold: true) + "\n" } ?? ""
      switch group.content {
      case .fields(let fields):
        guard !fields.isEmpty else { return nil }
        text += render(fields.map(\.0), fields.map(\.1), titleWidth: width, on: screen)
      case .table(_, let table):
        guard !table.rows.isEmpty else { return nil }
        text += TableText.render(table, on: screen, more: "--output json")
      }
      return text
    }
    return parts.joined(separator: "\n")
  }

  private static func title(_ column: Column) -> String { DisplayText.neutralized(column.title) + ":" }

  private static func render(_ columns: [Column], _ row: [Cell], titleWidth width: Int, on screen: Screen)
    -> String
  {
    let indentation = String(repeating: " ", count: width + 2)
    var text = ""
    for (cell, column) in zip(row, columns) {
      let title = title(column)
      // Each line of a text is neutralised and indented, so that text cannot imitate another field.
      var lines = lines(of: cell, column.kind, by: screen.clock)
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

  private static func lines(of cell: Cell, _ kind: Column.Kind, by clock: ZoneClock?) -> [String] {
    guard case .string(let text) = cell, !text.isEmpty, kind != .instant else {
      return [PeopleText.text(cell, kind, by: clock)]
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map {
      PeopleText.text(.string(String($0)), kind)
    }
  }
}
