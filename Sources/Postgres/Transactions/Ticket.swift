internal import Synchronization

/// Where the result of a queued statement arrives.
protocol ResultSink: AnyObject {
  func accept(_ result: ResultSet)
}

/// The promise of the rows of one statement in a ``Pipeline``, kept once the pipeline has returned.
public final class Ticket<Row> {
  private let decode: RowDecoder<Row>
  private var result: ResultSet?

  init(_ decode: @escaping RowDecoder<Row>) {
    self.decode = decode
  }

  /// All rows.
  public var all: [Row] {
    get throws(PostgresError) { try arrived().rows(decode) }
  }

  /// Some of the rows, counted from zero: for many of them that are read while the server does something else.
  ///
  /// - Parameter range: clamped to the rows that there are.
  public func rows(_ range: Range<Int>) throws(PostgresError) -> [Row] {
    let result = try arrived()
    return try result.rows(range.clamped(to: 0..<result.count), decode)
  }

  /// The first row, if there is one.
  public var first: Row? {
    get throws(PostgresError) { try arrived().first(decode) }
  }

  /// How many rows the statement inserted, updated, deleted or returned.
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

/// The promise of how many rows one statement in a ``Pipeline`` touches.
///
/// Unlike a ``Ticket`` it is `Sendable`, so a transaction whose last word is a statement compiles.
public final class CountTicket: Sendable {
  private let count = Atomic<Int>(-1)

  /// How many rows the statement inserted, updated, deleted or returned.
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
  PostgresError(.usage, "the result is not there: its pipeline has not been sent, or has failed")
}
