/// A connection that is lent to the body of ``Database/session(_:)`` or ``Database/statements(_:)``.
///
/// Each statement is a transaction of its own unless it runs in ``transaction(_:_:)``. Session settings and
/// locks remain until the body of ``Database/session(_:)`` returns.
///
/// ```swift
/// try await database.session { session in
///   try session.execute("set statement_timeout = 0")
///   let tables = try session.rows("select relname from pg_class where relkind = 'r'", String.self)
///   try session.transaction { tx in
///     for table in tables { try tx.execute("lock table \(identifier: table) in share mode") }
///   }
/// }
/// ```
///
/// Not `Sendable`: used on the thread of its connection only. If the task is cancelled, the current statement
/// and all later ones throw ``PostgresError`` of kind ``PostgresError/Kind/cancelled``.
public struct Session {
  let wire: Wire

  /// Runs a statement outside any transaction, as statements such as `vacuum` require.
  ///
  /// - Returns: the number of rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``, of kind ``PostgresError/Kind/usage`` while a transaction is open. If the
  ///   connection breaks before the response arrives, the kind is ``PostgresError/Kind/unknownOutcome``.
  @discardableResult
  public func execute(_ sql: SQL) throws(PostgresError) -> Int {
    try wire.run(sql, in: nil).affected
  }

  /// Runs a statement and reads all its rows.
  ///
  /// - Throws: as ``execute(_:)``, and with kind ``PostgresError/Kind/decoding`` if a row cannot be read as
  ///   `R`.
  public func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
    try wire.run(sql, in: nil).rows(decodeRow(type))
  }

  /// Runs a statement and reads all its rows, one value for each column.
  ///
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func rows<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> [(repeat each T)] {
    try wire.run(sql, in: nil).rows(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads its first row.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``.
  public func first<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> R? {
    try wire.run(sql, in: nil).first(decodeRow(type))
  }

  /// Runs a statement and reads its first row, one value for each column.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func first<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> (repeat each T)? {
    try wire.run(sql, in: nil).first(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads the first column of its first row. Further columns and rows are ignored.
  ///
  /// - Returns: the value; for an optional type `nil` without a row and for null.
  /// - Throws: as ``rows(_:as:)``, also without a row or for null unless the type is optional.
  public func value<T: PostgresDecodable>(_ sql: SQL, as type: T.Type = T.self) throws(PostgresError) -> T {
    try wire.run(sql, in: nil).value(type)
  }

  /// Sends several statements in one round trip; together they are one transaction.
  ///
  /// - Parameter body: fills the pipeline; nothing is sent before it returns.
  /// - Returns: the value of the body, usually its tickets.
  /// - Throws: the error of the body, in which case nothing is sent, or ``PostgresError``; then none of the
  ///   statements has taken effect, unless its kind is ``PostgresError/Kind/unknownOutcome``.
  @discardableResult
  public func pipeline<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.run(pipeline.items, in: nil)
    return value
  }

  /// Runs a body as one transaction: commits when it returns, rolls back when it throws.
  ///
  /// ``TransactionOptions/retries`` and ``TransactionOptions/poolKey`` have no effect here: the body runs
  /// once, on this connection.
  ///
  /// - Parameters:
  ///   - options: isolation, timeouts and settings.
  ///   - body: uses the transaction; using the session itself meanwhile is an error.
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, or ``PostgresError``; of kind ``PostgresError/Kind/usage`` if
  ///   a transaction is open.
  @discardableResult
  public func transaction<T>(
    _ options: TransactionOptions = TransactionOptions(),
    _ body: (Transaction) throws -> T
  ) throws -> T {
    try wire.transaction(options, body)
  }
}
