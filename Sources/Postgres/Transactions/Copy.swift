extension Transaction {
  /// How the bytes of a copy are laid out.
  public enum CopyFormat: Sendable, Hashable {
    /// PostgreSQL's own: tabs between columns, backslashes before what is special.
    case text
    /// Comma-separated values; `header` says whether the first line names the columns.
    case csv(header: Bool)

    var options: SQL {
      switch self {
      case .text: "(format text, encoding 'UTF8')"
      case .csv(header: false): "(format csv, encoding 'UTF8')"
      case .csv(header: true): "(format csv, header true, encoding 'UTF8')"
      }
    }
  }

  /// Inserts rows in bulk, in binary, and says how many.
  ///
  /// Values must have the column's very type: a `bigint` column takes `Int`, an `integer` column `Int32`.
  /// PostgreSQL refuses this for a table with row-level security.
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

  /// Inserts rows in bulk from text or CSV, and says how many.
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

  /// Streams the rows of a query as text or CSV, and says how many; `body` is lent one line after another.
  ///
  /// The query takes no bound values. When the body throws, the server is told to stop.
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
