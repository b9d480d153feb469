/// Encodes rows one at a time in a format for programs, so that an export needs memory for one row only.
package struct RowEncoder: Sendable {
  private let format: OutputFormat
  private let columns: [Column]
  private let isForTerminal: Bool
  private let csv: CSVDialect
  private var count = 0

  /// Creates an encoder for rows with these columns.
  ///
  /// - Parameters:
  ///   - format: any format but `table`, whose layout depends on all rows.
  ///   - screen: the output; on a terminal, control characters in CSV are replaced.
  ///   - csv: the form of CSV.
  package init(
    format: OutputFormat,
    columns: [Column],
    on screen: Screen = .pipe,
    csv: CSVDialect = .standard
  ) {
    precondition(
      format != .table,
      "a table depends on all of its rows: use OutputFormat.render"
    )
    self.format = format
    self.columns = columns
    self.isForTerminal = screen.isTerminal
    self.csv = csv
  }

  /// Returns the text before the first row.
  package func begin() -> String {
    switch format {
    case .csv: CSVText.line(columns.map { .string($0.key) }, csv)
    case .json: "["
    case .jsonl, .yaml, .table: ""
    }
  }

  /// Returns the text of the next row.
  package mutating func encode(_ row: [Cell]) -> String {
    defer { count += 1 }
    switch format {
    case .csv: return CSVText.line(isForTerminal ? row.map(Self.harmless) : row, csv)
    case .json: return (count == 0 ? "\n  " : ",\n  ") + JSONText.encode(Self.object(columns, row))
    case .jsonl: return JSONText.encode(Self.object(columns, row)) + "\n"
    case .yaml: return YAMLText.mapping(columns, row, lead: "- ")
    case .table: return ""
    }
  }

  /// Returns the text after the last row.
  package func end() -> String {
    switch format {
    case .json: count == 0 ? "]\n" : "\n]\n"
    case .yaml: count == 0 ? "[]\n" : ""
    case .csv, .jsonl, .table: ""
    }
  }

  /// Returns a cell without control characters, because CSV cannot escape them.
  private static func harmless(_ cell: Cell) -> Cell {
    guard case .string(let text) = cell else { return cell }
    return .string(DisplayText.neutralized(text))
  }

  static func object(_ columns: [Column], _ row: [Cell]) -> Cell {
    .nested(zip(columns, row).map { Cell.Field($0.key, $1) })
  }
}
