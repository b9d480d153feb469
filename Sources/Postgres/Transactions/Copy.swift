extension Transaction {
  /// The text format of a copy, in UTF-8.
  public enum CopyFormat: Sendable, Hashable {
    /// PostgreSQL's own: tabs between columns, backslashes before special characters.
    case text
    /// Comma-separated values; `header` is true if the first line contains the column names. When rows are
    /// inserted, this line is skipped.
    case csv(header: Bool)

    var options: SQL {
      switch self {
      case .text: "(format text, encoding 'UTF8')"
      case .csv(header: false): "(format csv, encoding 'UTF8')"
      case .csv(header: true): "(format csv, header true, encoding 'UTF8')"
      }
    }
  }

  /// Inserts rows in bulk in binary format.
  ///
  /// Each value must have exactly the column's type: `Int` for `bigint`, `Int32` for `integer`. PostgreSQL
  /// rejects `COPY FROM` for a table whose row-level security applies to the user.
  ///
  /// ```swift
  /// try tx.copy(into: "reading", columns: ["id", "value"]) { copy in
  ///   for reading in readings { try copy.row(reading.id, reading.value) }
  /// }
  /// ```
  ///
  /// After an error only a rollback is possible, unless the copy ran inside ``savepoint(_:)``.
  ///
  /// - Parameters:
  ///   - table: the table, with its schema if needed.
  ///   - columns: the columns in the order of the values; all columns of the table if empty.
  ///   - body: writes the rows; it cannot run other statements of the transaction meanwhile.
  /// - Returns: the number of inserted rows.
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

  /// Inserts rows in bulk from text or CSV.
  ///
  /// ```swift
  /// try tx.copy(into: "book", columns: ["title", "year"], as: .csv(header: false)) { copy in
  ///   try copy.write("\"Ulysses, a novel\",1922\n")
  /// }
  /// ```
  ///
  /// After an error only a rollback is possible, unless the copy ran inside ``savepoint(_:)``.
  ///
  /// - Parameters:
  ///   - table: the table, with its schema if needed.
  ///   - columns: the columns in the order of the text; all columns of the table if empty.
  ///   - format: the format of the text that `body` writes, in UTF-8.
  ///   - body: writes the text; it cannot run other statements of the transaction meanwhile.
  /// - Returns: the number of inserted rows.
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

  /// Streams the rows of a query as text or CSV to `body`, one row at a time.
  ///
  /// ```swift
  /// try tx.copyOut("select id, title from book") { row in file.append(row) }
  /// ```
  ///
  /// The query takes no bound values. If the body throws, the query is cancelled; after that only a rollback
  /// may be possible, unless the copy ran inside ``savepoint(_:)``.
  ///
  /// - Parameters:
  ///   - query: a `select`, `values` or `table` statement, or one with `returning`.
  ///   - format: the format of the rows.
  ///   - body: borrows the UTF-8 bytes of one row with its line feed; a CSV header is passed as the first
  ///     row, and a CSV value may contain line feeds. It cannot run other statements of the transaction
  ///     meanwhile.
  /// - Returns: the number of rows, not counting a header.
  /// - Throws: the error of the body, or ``PostgresError``, of kind ``PostgresError/Kind/usage`` for bound
  ///   values.
  @discardableResult
  public func copyOut(
    _ query: SQL,
    as format: CopyFormat = .csv(header: true),
    _ body: (RawSpan) throws -> Void
  ) throws -> Int {
    try wire.copyOut("copy (\(query)) to stdout \(format.options)", in: number, body)
  }

  /// Returns the columns in parentheses; empty for all columns.
  private static func list(_ columns: [Identifier]) -> SQL {
    guard !columns.isEmpty else { return "" }
    return "(\(SQL.joined(columns.map { "\(identifier: $0)" }, separator: ", ")))"
  }
}
