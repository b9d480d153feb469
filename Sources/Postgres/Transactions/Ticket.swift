/// Where the result of a queued statement arrives.
public class TicketCore {
  var result: ResultSet?

  final func arrived() throws(PostgresError) -> ResultSet {
    guard let result else {
      throw PostgresError(.usage, "the result is not there: its pipeline has not been sent, or has failed")
    }
    return result
  }
}

/// The promise of the rows of one statement in a ``Pipeline``, kept once the pipeline has returned.
public final class Ticket<Row>: TicketCore {
  private let decode: RowDecoder<Row>

  init(_ decode: @escaping RowDecoder<Row>) {
    self.decode = decode
  }

  /// All rows.
  public var all: [Row] {
    get throws(PostgresError) { try arrived().rows(decode) }
  }

  /// The first row, if there is one.
  public var first: Row? {
    get throws(PostgresError) { try arrived().first(decode) }
  }

  /// How many rows the statement inserted, updated, deleted or returned.
  public var affected: Int {
    get throws(PostgresError) { try arrived().affected }
  }
}
