extension Database {
  /// Runs one statement in a transaction of its own and says how many rows it touched.
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
  public func value<T: PostgresDecodable & Sendable>(_ sql: SQL, as type: T.Type = T.self) async throws -> T {
    try await perform { wire in try wire.run(sql, in: nil).value(T.self) }
  }

  /// Runs statements one after the other on one connection of the pool, each a transaction of its own.
  ///
  /// The body is synchronous and runs on the thread of its connection, so that what one statement is told by another
  /// costs no way to the caller and back. What is set or locked for a session would stay with the connection:
  /// ``session(_:)`` is for that. Like a transaction it may be run again before the server has answered anything.
  @discardableResult
  public func statements<T: Sendable>(_ body: @Sendable (Session) throws -> T) async throws -> T {
    try await perform { wire in try body(Session(wire: wire)) }
  }
}
