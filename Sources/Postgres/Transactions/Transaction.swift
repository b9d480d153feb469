/// A transaction, lent to the body that ``Database/transaction(_:_:)`` runs.
///
/// The body is synchronous, so nobody can wait for something else while holding locks, and the transaction is
/// not `Sendable`: returning it, storing it outside or capturing it in a task does not compile.
///
/// `begin` and the settings of the ``TransactionOptions`` are not sent on their own: they travel with the first
/// statement.
public struct Transaction {
  let wire: Wire
  let number: Int

  /// Runs a statement and says how many rows it touched.
  @discardableResult
  public func execute(_ sql: SQL) throws(PostgresError) -> Int {
    try wire.run(sql, in: number).affected
  }

  /// Runs a statement and reads all its rows.
  public func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
    try wire.run(sql, in: number).rows(decodeRow(type))
  }

  /// Runs a statement and reads all its rows, one value for each column.
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

  /// Runs a part that can fail alone: when the body throws, what it did is undone and the error is passed on.
  ///
  /// Costs no round trip of its own unless the body fails.
  @discardableResult
  public func savepoint<T>(_ body: (Transaction) throws -> T) throws -> T {
    try wire.savepoint(in: number) { try body(self) }
  }

  /// Sends several statements in one round trip; their tickets can be read afterwards.
  ///
  /// When one fails, those after it are not run, and its error is thrown.
  @discardableResult
  public func pipeline<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.run(pipeline.items, in: number)
    return value
  }

  /// Sends several statements without waiting, so that the server works on them while the body goes on.
  ///
  /// Their tickets can be read after the next round trip, or after ``collect()``. When one fails, what was sent
  /// behind it is not run, and that round trip throws its error.
  @discardableResult
  public func send<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.send(pipeline.items, in: number)
    return value
  }

  /// Waits for the results of everything that was sent.
  public func collect() throws(PostgresError) {
    try wire.checkOpen(number)
    try wire.collect(in: number)
  }

  /// Sends several statements and the commit in one round trip, and ends the transaction.
  ///
  /// `proof` is a query that finds a row exactly when this transaction has taken effect, such as one by the key of
  /// a row it inserts. It is run, under the same settings, when the answer to the commit was lost in a crash of the
  /// server, after which the transaction's id alone tells nothing.
  @discardableResult
  public func commit<T>(provenBy proof: SQL? = nil, _ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.commit(pipeline.items, provenBy: proof, in: number)
    return value
  }

  /// Commits now, before the body returns.
  public func commit() throws(PostgresError) {
    try wire.commit([], in: number)
  }

  /// Ends the transaction without its effects, although the body goes on and returns: a dry run.
  public func rollback() throws(PostgresError) {
    try wire.checkOpen(number)
    wire.rollBack()
  }
}
