/// A transaction, lent to the body of ``Database/transaction(_:_:)``.
///
/// The body is synchronous, so it cannot await anything while holding locks. A transaction is not `Sendable`:
/// returning it, storing it outside or capturing it in a task does not compile.
///
/// `begin` and the settings of the ``TransactionOptions`` are sent with the first statement, not on their
/// own.
public struct Transaction {
  let wire: Wire
  let number: Int

  /// Runs a statement. Returns the number of affected rows.
  ///
  /// - Returns: rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``. After an error of the server only a rollback is possible, unless the statement
  ///   ran inside ``savepoint(_:)``.
  @discardableResult
  public func execute(_ sql: SQL) throws(PostgresError) -> Int {
    try wire.run(sql, in: number).affected
  }

  /// Runs a statement and reads all its rows.
  public func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
    try wire.run(sql, in: number).rows(decodeRow(type))
  }

  /// Runs a statement and reads all its rows, one value for each column.
  ///
  /// ```swift
  /// for (id, title) in try tx.rows("select id, title from book", UUID.self, String.self) { … }
  /// ```
  ///
  /// - Throws: ``PostgresError``: of the server, of the connection, or of kind
  ///   ``PostgresError/Kind/decoding`` if a column has another type.
  public func rows<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> [(repeat each T)] {
    try wire.run(sql, in: number).rows(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads its first row, if there is one.
  public func first<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> R? {
    try wire.run(sql, in: number).first(decodeRow(type))
  }

  /// Runs a statement and reads its first row, if there is one, one value for each column.
  ///
  /// - Returns: nil without rows. Further rows are not decoded.
  /// - Throws: ``PostgresError``: of the server, of the connection, or of kind
  ///   ``PostgresError/Kind/decoding`` if a column has another type.
  public func first<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> (repeat each T)? {
    try wire.run(sql, in: number).first(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads the first column of its first row.
  ///
  /// Without a row an optional type gives `nil`, any other an error.
  public func value<T: PostgresDecodable>(_ sql: SQL, as type: T.Type = T.self) throws(PostgresError) -> T {
    try wire.run(sql, in: number).value(type)
  }

  /// Runs a body inside a savepoint: if it throws, its changes are undone and the error is rethrown.
  ///
  /// Costs no round trip of its own unless the body throws.
  ///
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, or ``PostgresError``.
  @discardableResult
  public func savepoint<T>(_ body: (Transaction) throws -> T) throws -> T {
    try wire.savepoint(in: number) { try body(self) }
  }

  /// Sends several statements in one round trip; their tickets are readable afterwards.
  ///
  /// If a statement fails, the ones behind it are skipped, and its error is thrown.
  ///
  /// - Returns: the value of the body, usually its tickets.
  /// - Throws: the error of the body, in which case nothing is sent, or ``PostgresError``.
  @discardableResult
  public func pipeline<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.run(pipeline.items, in: number)
    return value
  }

  /// Sends several statements without waiting, so that the server works while the body continues.
  ///
  /// Their tickets are readable after the next round trip or after ``collect()``. If a statement fails, the
  /// ones behind it are skipped, and that round trip throws its error.
  @discardableResult
  public func send<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.send(pipeline.items, in: number)
    return value
  }

  /// Waits for the results of all statements that were sent.
  ///
  /// - Throws: ``PostgresError``, the first one among those statements.
  public func collect() throws(PostgresError) {
    try wire.checkOpen(number)
    try wire.collect(in: number)
  }

  /// Sends several statements and the commit in one round trip, and ends the transaction.
  ///
  /// `proof` is a query that returns a row if and only if this transaction took effect, such as a query by
  /// the key of a row it inserts. It runs under the same settings if the response to the commit was lost in a
  /// crash of the server: the transaction id alone is not reliable then.
  ///
  /// - Parameters:
  ///   - proof: the query; nil without one.
  ///   - body: fills the pipeline.
  /// - Returns: the value of the body. Its tickets stay empty if the response was lost but the commit took effect.
  /// - Throws: ``PostgresError``, of kind ``PostgresError/Kind/unknownOutcome`` if the outcome is unknown.
  @discardableResult
  public func commit<T>(provenBy proof: SQL? = nil, _ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.commit(pipeline.items, provenBy: proof, in: number)
    return value
  }

  /// Commits now, before the body returns.
  ///
  /// Further statements are refused.
  ///
  /// - Throws: ``PostgresError``, of kind ``PostgresError/Kind/unknownOutcome`` if the response was lost.
  public func commit() throws(PostgresError) {
    try wire.commit([], in: number)
  }

  /// Rolls back now, although the body continues and returns: a dry run.
  ///
  /// Further statements are refused; the value of the body is still returned by the transaction.
  public func rollback() throws(PostgresError) {
    try wire.checkOpen(number)
    wire.rollBack()
  }
}
