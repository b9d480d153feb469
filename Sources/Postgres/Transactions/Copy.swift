extension Transaction {
  /// The text format of a copy.
  public enum CopyFormat: Sendable, Hashable {
    /// PostgreSQL's own: tabs between columns, backslashes before special characters.
    case text
    /// Comma-separated values; `header` is true if the first line contains the column names.
    case csv(header: Bool)

    var options: SQL {
      switch self {
      case .text: "(format text, encoding 'UTF8')"
      case .csv(header: false): "(format csv, encoding 'UTF8')"
      case .csv(header: true): "(format csv, header true, encoding 'UTF8')"
      }
    }
  }

  /// Inserts rows in bulk in binary format. Returns the number of rows.
  ///
  /// Each value must have exactly the column's type: `Int` for `bigint`, `Int32` for `integer`. PostgreSQL
  /// refuses binary and text `COPY FROM` for tables with row-level security.
  ///
  /// ```swift
  /// try tx.copy(into: "reading", columns: ["id", "value"]) { copy in
  ///   for reading in readings { try copy.row(reading.id, reading.value) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - columns: all columns of the table if empty.
  ///   - body: writes the rows.
  /// - Throws: the error of the body, in which case nothing is inserted, or ``PostgresError``.
  @discardableResult
  public func copy(
    into table: Identifier,
    columns: [Identifier],
    _ body: (inout BinaryCopy) throws -> Void
  ) throws -> Int {
    let sql: SQL = "copy \(identifier: table) \(Self.list(columns)) from stdin (format binary)"
    return try wire.copyIn(sql, in: number) {
      var copy = BinaryCopy(wire: wire, columns: columns.count)
      try body(&copy)
      try copy.finish()
    }
  }

  /// Inserts rows in bulk from text or CSV. Returns the number of rows.
  ///
  /// - Parameters:
  ///   - columns: all columns of the table if empty.
  ///   - format: the format of the text that `body` writes, in UTF-8.
  /// - Throws: the error of the body, in which case nothing is inserted, or ``PostgresError``.
  @discardableResult
  public func copy(
    into table: Identifier,
    columns: [Identifier],
    as format: CopyFormat,
    _ body: (inout TextCopy) throws -> Void
  ) throws -> Int {
    let sql: SQL = "copy \(identifier: table) \(Self.list(columns)) from stdin \(format.options)"
    return try wire.copyIn(sql, in: number) {
      var copy = TextCopy(wire: wire)
      try body(&copy)
      try copy.flush()
    }
  }

  /// Streams the rows of a query as text or CSV to `body`, one borrowed line at a time. Returns the number of
  /// rows.
  ///
  /// The query takes no bound values. If the body throws, the server is told to stop.
  ///
  /// - Throws: the error of the body, or ``PostgresError``.
  @discardableResult
  public func copyOut(
    _ query: SQL,
    as format: CopyFormat = .csv(header: true),
    _ body: (RawSpan) throws -> Void
  ) throws -> Int {
    try wire.copyOut("copy (\(query)) to stdout \(format.options)", in: number, body)
  }

  private static func list(_ columns: [Identifier]) -> SQL {
    guard !columns.isEmpty else { return "" }
    return "(\(SQL.joined(columns.map { "\(identifier: $0)" }, separator: ", ")))"
  }
}
