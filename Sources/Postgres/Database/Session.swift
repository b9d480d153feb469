/// A connection outside the pool, lent to the body of ``Database/session(_:)``.
///
/// Each statement is a transaction of its own unless it runs in ``transaction(_:_:)``. Session settings and
/// locks remain until the body returns.
public struct Session {
  let wire: Wire

  /// Runs a statement outside any transaction. Returns the number of affected rows.
  ///
  /// - Returns: rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``, of kind ``PostgresError/Kind/usage`` while a transaction is open.
  @discardableResult
  public func execute(_ sql: SQL) throws(PostgresError) -> Int {
    try wire.run(sql, in: nil).affected
  }

  /// Runs a statement and reads all its rows.
  public func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
    try wire.run(sql, in: nil).rows(decodeRow(type))
  }

  /// Runs a statement and reads all its rows, one value for each column.
  public func rows<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> [(repeat each T)] {
    try wire.run(sql, in: nil).rows(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads its first row, if there is one.
  public func first<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> R? {
    try wire.run(sql, in: nil).first(decodeRow(type))
  }

  /// Runs a statement and reads its first row, if there is one, one value for each column.
  public func first<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> (repeat each T)? {
    try wire.run(sql, in: nil).first(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads the first column of its first row.
  ///
  /// - Throws: ``PostgresError``, also without a row unless the type is optional.
  public func value<T: PostgresDecodable>(_ sql: SQL, as type: T.Type = T.self) throws(PostgresError) -> T {
    try wire.run(sql, in: nil).value(type)
  }

  /// Sends several statements in one round trip; together they are one transaction.
  ///
  /// - Returns: the value of the body, usually its tickets.
  /// - Throws: the error of the body, in which case nothing is sent, or ``PostgresError``; then none of the
  ///   statements has taken effect.
  @discardableResult
  public func pipeline<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.run(pipeline.items, in: nil)
    return value
  }

  /// Runs a body as one transaction: commits when it returns, rolls back when it throws.
  ///
  /// ``TransactionOptions/retries`` and ``TransactionOptions/poolKey`` have no effect here.
  ///
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, or ``PostgresError``.
  @discardableResult
  public func transaction<T>(
    _ options: TransactionOptions = TransactionOptions(),
    _ body: (Transaction) throws -> T
  ) throws -> T {
    try wire.transaction(options, body)
  }
}
