/// A transaction, lent to the body of ``Database/transaction(_:_:)``.
///
/// ```swift
/// let order = try await database.transaction { tx in
///   let stock = try tx.value("select stock from book where id = \(id) for update", as: Int.self)
///   guard stock > 0 else { throw SoldOut() }  // rolls back
///   try tx.execute("update book set stock = stock - 1 where id = \(id)")
///   return try tx.value("insert into orders (book) values (\(id)) returning id", as: UUID.self)
/// }
/// ```
///
/// The body is synchronous, so it cannot await anything while holding locks. A transaction is not `Sendable`:
/// returning it from the body of ``Database/transaction(_:_:)``, storing it outside or capturing it in a task
/// does not compile. Using it after it has ended throws ``PostgresError`` of kind
/// ``PostgresError/Kind/usage``.
///
/// `begin` and the settings of the ``TransactionOptions`` are sent with the first statement, not on their
/// own. If the task is cancelled, the current statement and all later ones throw ``PostgresError`` of kind
/// ``PostgresError/Kind/cancelled``.
public struct Transaction {
  let wire: Wire
  /// Identifies the transaction within its connection, so that its use after the end is detected.
  let number: Int

  /// Runs a statement.
  ///
  /// - Returns: the number of rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``. After an error of the server only a rollback is possible, unless the
  ///   statement ran inside ``savepoint(_:)``.
  @discardableResult
  public func execute(_ sql: SQL) throws(PostgresError) -> Int {
    try wire.run(sql, in: number).affected
  }

  /// Runs a statement and reads all its rows.
  ///
  /// All rows are in memory at once; use ``forEach(_:as:fetch:_:)`` for results that do not fit.
  ///
  /// - Throws: as ``execute(_:)``, and with kind ``PostgresError/Kind/decoding`` if a row cannot be read as
  ///   `R`. After a decoding error the transaction can continue.
  public func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> [R] {
    try wire.run(sql, in: number).rows(decodeRow(type))
  }

  /// Runs a statement and reads all its rows, one value for each column.
  ///
  /// ```swift
  /// for (id, title) in try tx.rows("select id, title from book", UUID.self, String.self) { … }
  /// ```
  ///
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func rows<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> [(repeat each T)] {
    try wire.run(sql, in: number).rows(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads its first row.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``.
  public func first<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) throws(PostgresError) -> R? {
    try wire.run(sql, in: number).first(decodeRow(type))
  }

  /// Runs a statement and reads its first row, one value for each column.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func first<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) throws(PostgresError) -> (repeat each T)? {
    try wire.run(sql, in: number).first(decodeTuple(repeat each types))
  }

  /// Runs a statement and reads the first column of its first row. Further columns and rows are ignored.
  ///
  /// - Returns: the value; for an optional type `nil` without a row and for null.
  /// - Throws: as ``rows(_:as:)``, also without a row or for null unless the type is optional.
  public func value<T: PostgresDecodable>(_ sql: SQL, as type: T.Type = T.self) throws(PostgresError) -> T {
    try wire.run(sql, in: number).value(type)
  }

  /// Runs a body inside a savepoint: if the body throws, its changes are undone, the error is rethrown, and
  /// the transaction can continue.
  ///
  /// ```swift
  /// do {
  ///   try tx.savepoint { tx in try tx.execute("insert into tag (name) values (\(name))") }
  /// } catch SQLState.uniqueViolation {
  ///   // the transaction can still commit
  /// }
  /// ```
  ///
  /// Costs no round trip of its own unless the body throws after a statement. Savepoints may be nested. An
  /// error of the server that the body catches is thrown again when the body returns.
  ///
  /// After a lost connection or a cancellation the whole transaction fails.
  ///
  /// - Parameter body: gets the same transaction; it may roll back the transaction but not commit it.
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
  /// - Parameter body: fills the pipeline; see ``Pipeline``.
  /// - Returns: the value of the body, usually its tickets.
  /// - Throws: the error of the body, in which case nothing is sent, or ``PostgresError``, as
  ///   ``execute(_:)``.
  @discardableResult
  public func pipeline<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.run(pipeline.items, in: number)
    return value
  }

  /// Sends several statements without waiting, so that the server works while the body continues.
  ///
  /// ```swift
  /// let readings = try tx.send { p in p.rows("select * from reading where day = \(day)", as: Reading.self) }
  /// let limits = try parseLimits(file)  // while the server works
  /// try tx.collect()
  /// for reading in try readings.all { … }
  /// ```
  ///
  /// Their tickets are readable after the next round trip or after ``collect()``. If a statement fails, that
  /// round trip throws its error; the statements behind it are skipped, including those of that round trip.
  ///
  /// - Parameter body: fills the pipeline.
  /// - Returns: the value of the body, usually its tickets.
  /// - Throws: the error of the body, in which case nothing is sent, or ``PostgresError`` if the transaction
  ///   has ended, the connection is lost, or the task was cancelled.
  @discardableResult
  public func send<T>(_ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.send(pipeline.items, in: number)
    return value
  }

  /// Waits for the results of all statements that were sent with ``send(_:)``. Without any, returns at once.
  ///
  /// - Throws: ``PostgresError``, the first one among those statements.
  public func collect() throws(PostgresError) {
    try wire.checkOpen(number)
    try wire.collect(in: number)
  }

  /// Sends several statements and the commit in one round trip, and ends the transaction.
  ///
  /// `proof` is a query that returns a row if and only if this transaction took effect, such as a query by
  /// the key of a row that it inserts. With ``TransactionOptions/resolvesLostCommit``, the query decides
  /// about a commit whose response was lost and that the server reports as committed: after a crash of the
  /// server the transaction id alone is not reliable. It runs under the same settings, read-only, on another
  /// connection.
  ///
  /// - Parameters:
  ///   - proof: the query; `nil` to trust the transaction id if the server has not crashed.
  ///   - body: fills the pipeline.
  /// - Returns: the value of the body. Its tickets stay empty if the response was lost but the commit took
  ///   effect.
  /// - Throws: the error of the body, in which case nothing is sent and the transaction continues, or
  ///   ``PostgresError``: the first error of the server in this transaction, kind
  ///   ``PostgresError/Kind/unknownOutcome`` if the outcome is unknown, or ``PostgresError/Kind/usage``
  ///   inside a savepoint and after the end.
  @discardableResult
  public func commit<T>(provenBy proof: SQL? = nil, _ body: (inout Pipeline) throws -> T) throws -> T {
    var pipeline = Pipeline()
    let value = try body(&pipeline)
    try wire.commit(pipeline.items, provenBy: proof, in: number)
    return value
  }

  /// Commits now, before the body returns. Further statements throw an error of kind
  /// ``PostgresError/Kind/usage``.
  ///
  /// - Throws: ``PostgresError``, as ``commit(provenBy:_:)``.
  public func commit() throws(PostgresError) {
    try wire.commit([], in: number)
  }

  /// Calls a body once the transaction is committed, and never if it is not.
  ///
  /// For news about the transaction from a function that does not commit it. After the rollback of a
  /// ``savepoint(_:)``, bodies that were added inside it are called all the same.
  ///
  /// - Parameter body: runs on the thread of the connection, and must return at once.
  public func afterCommit(_ body: @escaping @Sendable () -> Void) {
    guard transactionIsOpen else { return }
    wire.transaction.afterCommit.append(body)
  }

  private var transactionIsOpen: Bool { wire.transaction.number == number && wire.transaction.phase == .open }

  /// Rolls back now, although the body continues and returns: a dry run.
  ///
  /// Further statements throw an error of kind ``PostgresError/Kind/usage``. The value of the body is still
  /// returned by the transaction. Inside a savepoint the whole transaction is rolled back.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the transaction has ended.
  public func rollback() throws(PostgresError) {
    try wire.checkOpen(number)
    wire.rollBack()
  }
}
