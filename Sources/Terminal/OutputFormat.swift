/// The choices of `--output`.
package enum OutputFormat: String, Sendable, CaseIterable {
  case table, json, jsonl, csv, yaml

  /// Returns the format with that name; otherwise throws an error with a suggestion.
  package static func parse(_ text: String) throws(TerminalError) -> OutputFormat {
    try Choice.parse(text, option: "--output")
  }

  /// Returns the whole table in this format for a screen.
  package func render(_ table: Table, on screen: Screen) -> String {
    guard self != .table else { return TableText.render(table, on: screen) }
    var encoder = RowEncoder(format: self, columns: table.columns, on: screen)
    return encoder.begin() + table.rows.map { encoder.encode($0) }.joined() + encoder.end()
  }

  /// Returns one record in groups: with headings for people, one flat object for programs.
  package func renderRecord(_ groups: [DetailGroup], on screen: Screen) -> String {
    guard self != .table else { return DetailText.render(groups, on: screen) }
    let fields = groups.flatMap(\.fields)
    return renderRecord(fields.map(\.0), fields.map(\.1), on: screen)
  }

  /// Returns one record, as `show` prints it: a detail view, a single object, a single mapping.
  package func renderRecord(_ columns: [Column], _ row: [Cell], on screen: Screen) -> String {
    switch self {
    case .table: DetailText.render(columns, row, on: screen)
    case .json: JSONText.encodePretty(RowEncoder.object(columns, row)) + "\n"
    case .yaml: YAMLText.mapping(columns, row, lead: "")
    case .jsonl, .csv: render(Table(columns: columns, rows: [row]), on: screen)
    }
  }
}
