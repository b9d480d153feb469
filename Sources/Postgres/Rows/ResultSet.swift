internal import CLibPQ

/// The result of one statement; its memory is freed with its last reader.
final class ResultSet {
  let raw: OpaquePointer
  let statement: SQL?

  init(raw: OpaquePointer, statement: SQL?) {
    self.raw = raw
    self.statement = statement
  }

  deinit {
    PQclear(raw)
  }

  var count: Int { Int(PQntuples(raw)) }

  /// Rows inserted, updated, deleted, selected or copied; 0 for other commands.
  var affected: Int {
    var number = 0
    guard var digit = PQcmdTuples(raw) else { return 0 }
    while case let byte = UInt8(bitPattern: digit.pointee), byte >= 0x30, byte <= 0x39 {
      number = number * 10 + Int(byte - 0x30)
      digit += 1
    }
    return number
  }

  /// Returns true if this is the command tag.
  func isTagged(_ tag: StaticString) -> Bool {
    guard let status = PQcmdStatus(raw) else { return false }
    return String(cString: status) == "\(tag)"
  }

  /// Reads one row, counted from 0; an error names the statement.
  func row<R>(_ index: Int, _ decode: RowDecoder<R>) throws(PostgresError) -> R {
    do {
      var reader = RowReader(result: raw, row: Int32(index))
      return try decode(&reader)
    } catch {
      guard let statement, error.statement == nil else { throw error }
      throw error.with { $0.statement = statement.text }
    }
  }

  func rows<R>(_ decode: RowDecoder<R>) throws(PostgresError) -> [R] {
    try rows(0..<count, decode)
  }

  func rows<R>(_ range: Range<Int>, _ decode: RowDecoder<R>) throws(PostgresError) -> [R] {
    var rows: [R] = []
    rows.reserveCapacity(range.count)
    for index in range {
      rows.append(try row(index, decode))
    }
    return rows
  }

  func first<R>(_ decode: RowDecoder<R>) throws(PostgresError) -> R? {
    count == 0 ? nil : try row(0, decode)
  }

  /// Reads the first column of the first row; without a row, ``PostgresDecodable/absent`` or an error.
  func value<T: PostgresDecodable>(_ type: T.Type) throws(PostgresError) -> T {
    if let value = try first(decodeValue(type)) { return value }
    if let absent = T.absent { return absent }
    throw PostgresError(.decoding, "the statement returned no row, but \(type) was requested")
      .with { $0.statement = statement?.text }
  }
}
