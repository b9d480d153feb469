internal import CLibPQ

/// Reads the columns of one row from left to right.
public struct RowReader: ~Copyable {
  private let result: OpaquePointer
  private let row: Int32
  private var column: Int32 = 0
  private let columns: Int32

  init(result: OpaquePointer, row: Int32) {
    self.result = result
    self.row = row
    columns = PQnfields(result)
  }

  /// How many columns the row has.
  public var count: Int { Int(columns) }

  /// How many columns have not been read.
  public var remaining: Int { Int(columns - column) }

  /// Reads the next column.
  public mutating func next<T: PostgresDecodable>(as type: T.Type = T.self) throws(PostgresError) -> T {
    guard column < columns else {
      throw PostgresError(.decoding, "the row has \(columns) columns, but one more was asked for as \(type)")
    }
    let index = column
    column += 1
    let length = PQgetlength(result, row, index)
    // A null has length 0, so only empty values need the second question.
    guard length > 0 || PQgetisnull(result, row, index) == 0 else {
      return try T(
        postgres: PostgresCell(type: PQftype(result, index), column: Int(index), raw: nil, result: result)
      )
    }
    let raw = UnsafeRawBufferPointer(start: PQgetvalue(result, row, index), count: Int(length))
    return try T(
      postgres: PostgresCell(type: PQftype(result, index), column: Int(index), raw: raw, result: result)
    )
  }

  /// Reads the next column, which may be null.
  public mutating func next<T: PostgresDecodable>(as type: T?.Type = T?.self) throws(PostgresError) -> T? {
    if column < columns, PQgetisnull(result, row, column) != 0 {
      column += 1
      return nil
    }
    return try next(as: T.self)
  }

  /// Leaves the next column unread.
  public mutating func skip() {
    column += 1
  }
}
