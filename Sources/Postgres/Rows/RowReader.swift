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
  ///
  /// Inlined where it is used, so that a row of known types is read without asking at run time what they are.
  @inlinable
  public mutating func next<T: PostgresDecodable>(as type: T.Type = T.self) throws(PostgresError) -> T {
    try T(postgres: nextCell(type))
  }

  /// Reads the next column, which may be null.
  @inlinable
  public mutating func next<T: PostgresDecodable>(as type: T?.Type = T?.self) throws(PostgresError) -> T? {
    if skipNull() { return nil }
    return try T(postgres: nextCell(T.self))
  }

  @usableFromInline
  mutating func nextCell(_ wanted: Any.Type) throws(PostgresError) -> PostgresCell {
    guard column < columns else {
      throw PostgresError(
        .decoding,
        "the row has \(columns) columns, but one more was asked for as \(wanted)"
      )
    }
    let index = column
    column += 1
    let length = PQgetlength(result, row, index)
    // A null has length 0, so only empty values need the second question.
    let isNull = length == 0 && PQgetisnull(result, row, index) != 0
    return PostgresCell(
      type: PQftype(result, index),
      column: Int(index),
      raw: isNull
        ? nil : UnsafeRawBufferPointer(start: PQgetvalue(result, row, index), count: Int(length)),
      result: result
    )
  }

  /// Leaves the next column unread if it is null.
  @usableFromInline
  mutating func skipNull() -> Bool {
    guard column < columns, PQgetisnull(result, row, column) != 0 else { return false }
    column += 1
    return true
  }

  /// Leaves the next column unread.
  public mutating func skip() {
    column += 1
  }
}
