extension Transaction {
  /// Runs a query with a cursor and passes each row to `body`; at most `fetch` rows are in memory.
  ///
  /// - Parameters:
  ///   - sql: a `select` or `values` statement; it may have bound values.
  ///   - type: the type of a row.
  ///   - fetch: rows per round trip, at least 1.
  ///   - body: may run other statements of the transaction. Their changes do not affect the rows of the
  ///     cursor.
  /// - Throws: the error of the body, which ends the iteration, or ``PostgresError``.
  public func forEach<R: RowDecodable>(
    _ sql: SQL,
    as type: R.Type = R.self,
    fetch: Int = 2000,
    _ body: (R) throws -> Void
  ) throws {
    try walk(sql, fetch: fetch, decodeRow(type), body)
  }

  /// Runs a query with a cursor and passes each row to `body` as one value per column.
  ///
  /// ```swift
  /// try tx.forEach("select id, total from invoice", UUID.self, ExactDecimal.self) { id, total in … }
  /// ```
  ///
  /// - Parameters:
  ///   - sql: a `select` or `values` statement; it may have bound values.
  ///   - types: the types of the columns.
  ///   - fetch: rows per round trip, at least 1; at most this many rows are in memory.
  ///   - body: may run other statements of the transaction. Their changes do not affect the rows of the
  ///     cursor.
  /// - Throws: the error of the body, which ends the iteration, or ``PostgresError``.
  public func forEach<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type,
    fetch: Int = 2000,
    _ body: (repeat each T) throws -> Void
  ) throws {
    func spread(_ row: (repeat each T)) throws {
      try body(repeat each row)
    }
    try walk(sql, fetch: fetch, decodeTuple(repeat each types), spread)
  }

  private func walk<R>(
    _ sql: SQL,
    fetch: Int,
    _ decode: @escaping RowDecoder<R>,
    _ body: (R) throws -> Void
  ) throws {
    try wire.checkOpen(number)
    wire.transaction.cursors += 1
    let cursor = Identifier("c\(wire.transaction.cursors)")
    let count = max(1, fetch)
    let next = SQL(utf8: Array("fetch forward \(count) from \(cursor.parts[0])".utf8))
    let declare: SQL = "declare \(identifier: cursor) no scroll cursor for \(sql)"
    // Declares the cursor and reads the first rows in one round trip.
    let first = Ticket(decode)
    try wire.run(
      [Pipeline.Item(sql: declare, sink: CountTicket()), Pipeline.Item(sql: next, sink: first)],
      in: number
    )
    var set = try first.arrived()
    while true {
      for index in 0..<set.count { try body(try set.row(index, decode)) }
      guard set.count == count else { break }
      set = try wire.run(next, in: number)
    }
    // If the body throws, the cursor stays until the transaction ends.
    wire.transaction.ahead.append("close \(identifier: cursor)")
  }
}
