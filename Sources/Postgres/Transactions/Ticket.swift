internal import Synchronization

/// Receives the result of a queued statement.
protocol ResultSink: AnyObject {
  func accept(_ result: ResultSet)
}

/// The rows of one statement in a ``Pipeline``, readable after its round trip.
///
/// That is after ``Transaction/pipeline(_:)`` has returned, or after ``Transaction/collect()`` for statements
/// that were sent with ``Transaction/send(_:)``.
///
/// Not `Sendable`: rows are decoded on the thread of the connection, inside the transaction's body. Each
/// access decodes the rows again, so keep them in a variable.
public final class Ticket<Row> {
  private let decode: RowDecoder<Row>
  private var result: ResultSet?

  init(_ decode: @escaping RowDecoder<Row>) {
    self.decode = decode
  }

  /// All rows, in the order in which the server sent them.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the statement has not been sent, has
  ///   failed or was skipped after a failure; of kind ``PostgresError/Kind/decoding`` if a row cannot be read
  ///   as `Row`.
  public var all: [Row] {
    get throws(PostgresError) { try arrived().rows(decode) }
  }

  /// Returns some of the rows: for many rows that are decoded while the server works.
  ///
  /// - Parameter range: the positions, counted from 0; clamped to the existing rows.
  /// - Throws: as ``all``.
  public func rows(_ range: Range<Int>) throws(PostgresError) -> [Row] {
    let result = try arrived()
    return try result.rows(range.clamped(to: 0..<result.count), decode)
  }

  /// The first row; `nil` if there is none. Further rows are not decoded.
  ///
  /// - Throws: as ``all``.
  public var first: Row? {
    get throws(PostgresError) { try arrived().first(decode) }
  }

  /// The number of rows that the statement inserted, updated, deleted or returned; 0 for other commands.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage``, as ``all``.
  public var affected: Int {
    get throws(PostgresError) { try arrived().affected }
  }

  /// Returns the result.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if it has not arrived.
  func arrived() throws(PostgresError) -> ResultSet {
    guard let result else { throw notArrived() }
    return result
  }
}

extension Ticket: ResultSink {
  func accept(_ result: ResultSet) {
    self.result = result
  }
}

/// The number of rows affected by one statement in a ``Pipeline``, readable after its round trip.
///
/// Unlike a ``Ticket`` it is `Sendable`, so a transaction body may return it.
///
/// ```swift
/// let removed = try await database.transaction { tx in
///   try tx.commit { p in p.execute("delete from session where expires_at < now()") }
/// }
/// print(try removed.affected)
/// ```
public final class CountTicket: Sendable {
  /// The number of rows; −1 before the result has arrived.
  private let count = Atomic<Int>(-1)

  /// The number of rows that the statement inserted, updated, deleted or returned; 0 for other commands.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the statement has not been sent, has
  ///   failed or was skipped after a failure.
  public var affected: Int {
    get throws(PostgresError) {
      let count = self.count.load(ordering: .relaxed)
      guard count >= 0 else { throw notArrived() }
      return count
    }
  }
}

extension CountTicket: ResultSink {
  func accept(_ result: ResultSet) {
    count.store(result.affected, ordering: .relaxed)
  }
}

private func notArrived() -> PostgresError {
  PostgresError(.usage, "no result: the pipeline has not been sent, or has failed")
}
