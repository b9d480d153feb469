/// Statements sent in one round trip.
///
/// ```swift
/// let (open, total) = try tx.pipeline { p in
///   (p.rows("select id, title from task where done = \(false)", UUID.self, String.self),
///    p.value("select count(*) from task", as: Int.self))
/// }
/// for (id, title) in try open.all { … }
/// ```
///
/// Nothing is sent until the body that fills the pipeline has returned. The results stay in memory until
/// their tickets are released. A pipeline without statements sends nothing.
public struct Pipeline {
  struct Item {
    let sql: SQL
    let sink: any ResultSink
  }

  private(set) var items: [Item] = []

  init() {
    items.reserveCapacity(8)
  }

  /// Queues a statement whose rows are not read.
  ///
  /// - Returns: a ticket with the number of affected rows.
  @discardableResult
  public mutating func execute(_ sql: SQL) -> CountTicket {
    let ticket = CountTicket()
    items.append(Item(sql: sql, sink: ticket))
    return ticket
  }

  /// Queues a statement whose rows are decoded as `R`.
  ///
  /// - Returns: a ticket with the rows, which are decoded when they are read: a decoding error is thrown by
  ///   the ticket.
  public mutating func rows<R: RowDecodable>(_ sql: SQL, as type: R.Type = R.self) -> Ticket<R> {
    add(sql, decodeRow(type))
  }

  /// Queues a statement whose rows are decoded as one value per column.
  ///
  /// - Returns: a ticket with the rows as tuples. Reading it throws if the number of columns differs from the
  ///   number of types.
  public mutating func rows<each T: PostgresDecodable>(
    _ sql: SQL,
    _ types: repeat (each T).Type
  ) -> Ticket<(repeat each T)> {
    add(sql, decodeTuple(repeat each types))
  }

  /// Queues a statement whose first column is read. Further columns are ignored.
  ///
  /// - Returns: a ticket with one value per row; use ``Ticket/first`` for a single one.
  public mutating func value<T: PostgresDecodable>(_ sql: SQL, as type: T.Type = T.self) -> Ticket<T> {
    add(sql, decodeValue(type))
  }

  private mutating func add<R>(_ sql: SQL, _ decode: @escaping RowDecoder<R>) -> Ticket<R> {
    let ticket = Ticket(decode)
    items.append(Item(sql: sql, sink: ticket))
    return ticket
  }
}
