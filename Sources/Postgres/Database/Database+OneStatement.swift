extension Database {
  /// Runs one statement in a transaction of its own.
  ///
  /// ```swift
  /// let removed = try await database.execute("delete from session where expires_at < now()")
  /// ```
  ///
  /// Cancelling the task cancels the statement. If the statement had already succeeded, its result is
  /// returned.
  ///
  /// - Returns: the number of rows inserted, updated, deleted or selected; 0 for other commands.
  /// - Throws: ``PostgresError``, or `CancellationError`. If the connection breaks before the response
  ///   arrives, the kind is ``PostgresError/Kind/unknownOutcome``: the statement may have taken effect.
  @discardableResult
  public func execute(_ sql: SQL) async throws -> Int {
    try await single { wire, number in try wire.run(sql, in: number).affected }
  }

  /// Runs one statement in a transaction of its own and reads all its rows.
  ///
  /// All rows are in memory at once; use ``Transaction/forEach(_:as:fetch:_:)`` for results that do not fit.
  ///
  /// - Throws: ``PostgresError``, of kind ``PostgresError/Kind/decoding`` if a row cannot be read as `R`, or
  ///   `CancellationError`; otherwise as ``execute(_:)``.
  public func rows<R: RowDecodable & Sendable>(_ sql: SQL, as type: R.Type = R.self) async throws -> [R] {
    try await single { wire, number in try wire.run(sql, in: number).rows(decodeRow(R.self)) }
  }

  /// Runs one statement in a transaction of its own and reads all its rows, one value for each column.
  ///
  /// ```swift
  /// for (id, title) in try await database.rows("select id, title from book", UUID.self, String.self) { … }
  /// ```
  ///
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func rows<each T: PostgresDecodable & Sendable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) async throws -> [(repeat each T)] {
    try await single { wire, number in try wire.run(sql, in: number).rows(decodeTuple(repeat (each T).self)) }
  }

  /// Runs one statement in a transaction of its own and reads its first row.
  ///
  /// The server sends all rows, so limit the query to one row if there may be many.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``.
  public func first<R: RowDecodable & Sendable>(_ sql: SQL, as type: R.Type = R.self) async throws -> R? {
    try await single { wire, number in try wire.run(sql, in: number).first(decodeRow(R.self)) }
  }

  /// Runs one statement in a transaction of its own and reads its first row, one value for each column.
  ///
  /// - Returns: the first row; `nil` if there is none. Further rows are not decoded.
  /// - Throws: as ``rows(_:as:)``, also if the number of columns differs from the number of types.
  public func first<each T: PostgresDecodable & Sendable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) async throws -> (repeat each T)? {
    try await single { wire, number in try wire.run(sql, in: number).first(decodeTuple(repeat (each T).self))
    }
  }

  /// Runs one statement in a transaction of its own and reads the first column of its first row.
  ///
  /// ```swift
  /// let count = try await database.value("select count(*) from book", as: Int.self)
  /// ```
  ///
  /// Further columns and rows are ignored. Without a row, and for null, an optional type gives `nil`.
  ///
  /// - Throws: as ``rows(_:as:)``, also without a row or for null unless the type is optional.
  public func value<T: PostgresDecodable & Sendable>(_ sql: SQL, as type: T.Type = T.self) async throws -> T {
    try await single { wire, number in try wire.run(sql, in: number).value(T.self) }
  }

  /// Runs a statement outside a transaction; in a rehearsal in one that is rolled back.
  private func single<T: Sendable>(_ body: @Sendable (Wire, Int?) throws -> T) async throws -> T {
    guard Rehearsal.isOn else { return try await perform { wire in try body(wire, nil) } }
    return try await transaction { tx in try body(tx.wire, tx.number) }
  }

  /// Runs statements one after the other on one pooled connection, each in a transaction of its own.
  ///
  /// ```swift
  /// let name = try await database.statements { session in
  ///   let id = try session.value("select nextval('member_id')", as: Int.self)
  ///   return try session.value("insert into member (id) values (\(id)) returning name", as: String.self)
  /// }
  /// ```
  ///
  /// The body is synchronous and runs on the thread of its connection, so using one result in the next
  /// statement costs no hop. Session settings and locks would remain with the connection: use ``session(_:)``
  /// for those. The body may run a second time if the server had not answered any statement: see
  /// <doc:Transactions>.
  ///
  /// - Parameter body: must change nothing outside the database.
  /// - Returns: the value of the body.
  /// - Throws: the error of the body unchanged, ``PostgresError``, or `CancellationError`.
  @discardableResult
  public func statements<T: Sendable>(_ body: @Sendable (Session) throws -> T) async throws -> T {
    try await perform { wire in try body(Session(wire: wire)) }
  }
}
