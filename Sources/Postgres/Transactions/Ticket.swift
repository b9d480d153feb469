internal import Synchronization

/// Receives the result of a queued statement.
protocol ResultSink: AnyObject {
  func accept(_ result: ResultSet)
}

/// The rows of one statement in a ``Pipeline``; readable after the pipeline has returned.
///
/// Not `Sendable`: rows are decoded on the thread of the connection, inside the transaction's body.
public final class Ticket<Row> {
  private let decode: RowDecoder<Row>
  private var result: ResultSet?

  init(_ decode: @escaping RowDecoder<Row>) {
    self.decode = decode
  }

  /// All rows.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/usage`` if the pipeline has not been sent or has
  ///   failed, or of kind ``PostgresError/Kind/decoding``.
  public var all: [Row] {
    get throws(PostgresError) { try arrived().rows(decode) }
  }

  /// Returns some of the rows, counted from zero: for many rows that are decoded while the server works.
  ///
  /// - Parameter range: clamped to the existing rows.
  public func rows(_ range: Range<Int>) throws(PostgresError) -> [Row] {
    let result = try arrived()
    return try result.rows(range.clamped(to: 0..<result.count), decode)
  }

  /// The first row, if there is one.
  ///
  /// - Throws: as ``all``.
  public var first: Row? {
    get throws(PostgresError) { try arrived().first(decode) }
  }

  /// The number of rows that the statement inserted, updated, deleted or returned.
  public var affected: Int {
    get throws(PostgresError) { try arrived().affected }
  }

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

/// The number of rows affected by one statement in a ``Pipeline``; readable after the pipeline has returned.
///
/// Unlike a ``Ticket`` it is `Sendable`, so a transaction body may return it.
public final class CountTicket: Sendable {
  private let count = Atomic<Int>(-1)

  /// The number of rows that the statement inserted, updated, deleted or returned.
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
