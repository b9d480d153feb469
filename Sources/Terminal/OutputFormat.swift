/// The choices of `--output`.
package enum OutputFormat: String, Sendable, CaseIterable {
  case table, json, jsonl, csv, yaml

  /// Returns the format with a name.
  ///
  /// - Throws: `unknown_choice` with the closest name.
  package static func parse(_ text: String) throws(TerminalError) -> OutputFormat {
    try Choice.parse(text, option: "--output")
  }

  /// Returns a table in this format, fitted to the screen if the format is `table`.
  ///
  /// - Parameter isChosen: true if a person chose the columns, so that none is left out.
  package func render(_ table: Table, on screen: Screen, isChosen: Bool = false) -> String {
    guard self != .table else { return TableText.render(table, on: screen, isChosen: isChosen) }
    var encoder = RowEncoder(format: self, columns: table.columns, on: screen)
    return encoder.begin() + table.rows.map { encoder.encode($0) }.joined() + encoder.end()
  }

  /// Returns one record: for people in groups with headings, for programs as one object with all fields.
  package func renderRecord(_ groups: [DetailGroup], on screen: Screen) -> String {
    guard self != .table else { return DetailText.render(groups, on: screen) }
    let fields = groups.flatMap(\.fields)
    return renderRecord(fields.map(\.0), fields.map(\.1), on: screen)
  }

  /// Returns one record: a detail view, a JSON object, a YAML mapping, or a table of one row in CSV and JSON
  /// lines.
  package func renderRecord(_ columns: [Column], _ row: [Cell], on screen: Screen) -> String {
    switch self {
    case .table: DetailText.render(columns, row, on: screen)
    case .json: JSONText.encodePretty(RowEncoder.object(columns, row)) + "\n"
    case .yaml: YAMLText.mapping(columns, row, lead: "")
    case .jsonl, .csv: render(Table(columns: columns, rows: [row]), on: screen)
    }
  }
}
