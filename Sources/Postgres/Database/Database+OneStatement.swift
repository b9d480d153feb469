extension Database {
  /// Runs one statement in a transaction of its own. Returns the number of affected rows.
  ///
  /// ```swift
  /// let removed = try await database.execute("delete from session where expires_at < now()")
  /// ```
  ///
  /// - Returns: rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``, or `CancellationError`.
  @discardableResult
  public func execute(_ sql: SQL) async throws -> Int {
    try await perform { wire in try wire.run(sql, in: nil).affected }
  }

  /// Runs one statement and reads all its rows.
  public func rows<R: RowDecodable & Sendable>(_ sql: SQL, as type: R.Type = R.self) async throws -> [R] {
    try await perform { wire in try wire.run(sql, in: nil).rows(decodeRow(R.self)) }
  }

  /// Runs one statement and reads all its rows, one value for each column.
  public func rows<each T: PostgresDecodable & Sendable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) async throws -> [(repeat each T)] {
    try await perform { wire in try wire.run(sql, in: nil).rows(decodeTuple(repeat (each T).self)) }
  }

  /// Runs one statement and reads its first row, if there is one.
  public func first<R: RowDecodable & Sendable>(_ sql: SQL, as type: R.Type = R.self) async throws -> R? {
    try await perform { wire in try wire.run(sql, in: nil).first(decodeRow(R.self)) }
  }

  /// Runs one statement and reads its first row, if there is one, one value for each column.
  public func first<each T: PostgresDecodable & Sendable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) async throws -> (repeat each T)? {
    try await perform { wire in try wire.run(sql, in: nil).first(decodeTuple(repeat (each T).self)) }
  }

  /// Runs one statement and reads the first column of its first row.
  ///
  /// Without a row an optional type gives `nil`, any other an error.
  ///
  /// ```swift
  /// let count = try await database.value("select count(*) from book", as: Int.self)
  /// ```
  ///
  /// - Throws: ``PostgresError``, or `CancellationError`.
  public func value<T: PostgresDecodable & Sendable>(_ sql: SQL, as type: T.Type = T.self) async throws -> T {
    try await perform { wire in try wire.run(sql, in: nil).value(T.self) }
  }

  /// Runs statements one after the other on one pooled connection, each in a transaction of its own.
  ///
  /// The body is synchronous and runs on the thread of its connection, so using one result in the next
  /// statement costs no hop. Session settings and locks would remain with the connection: use ``session(_:)``
  /// for those. Like a transaction, the body may run again while the server has not answered any statement.
  ///
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, ``PostgresError``, or `CancellationError`.
  @discardableResult
  public func statements<T: Sendable>(_ body: @Sendable (Session) throws -> T) async throws -> T {
    try await perform { wire in try body(Session(wire: wire)) }
  }
}
