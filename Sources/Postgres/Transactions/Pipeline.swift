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

  /// Sends each statement that the body queues once, even if the body queues it several times with equal values: for
  /// the same question about many rows. All tickets get the one result.
  ///
  /// - Parameter body: queues statements that may run once instead of several times.
  /// - Returns: the value of the body.
  package mutating func sharing<T>(_ body: (inout Pipeline) throws -> T) rethrows -> T {
    let start = items.count
    let value = try body(&self)
    guard items.count > start + 1 else { return value }
    var places: [SharedStatement: Int] = [:]
    var kept = Array(items[..<start])
    for item in items[start...] {
      let place = places[SharedStatement(item.sql), default: kept.count]
      if place < kept.count {
        kept[place] = Item(sql: item.sql, sink: SharedSink(kept[place].sink, item.sink))
      } else {
        places[SharedStatement(item.sql)] = place
        kept.append(item)
      }
    }
    items = kept
    return value
  }

  private mutating func add<R>(_ sql: SQL, _ decode: @escaping RowDecoder<R>) -> Ticket<R> {
    let ticket = Ticket(decode)
    items.append(Item(sql: sql, sink: ticket))
    return ticket
  }
}

/// A statement with its values, as a key.
private struct SharedStatement: Hashable {
  let text: [UInt8]
  let values: [UInt8]
  /// The types and lengths of the values.
  let slots: [UInt64]

  init(_ sql: SQL) {
    text = sql.utf8
    values = sql.parameters.bytes
    slots = sql.parameters.slots.map { UInt64($0.type) << 32 | UInt64(UInt32(bitPattern: $0.length)) }
  }
}

/// Passes one result to two receivers.
private final class SharedSink: ResultSink {
  private let first: any ResultSink
  private let second: any ResultSink

  init(_ first: any ResultSink, _ second: any ResultSink) {
    self.first = first
    self.second = second
  }

  func accept(_ result: ResultSet) {
    first.accept(result)
    second.accept(result)
  }
}
