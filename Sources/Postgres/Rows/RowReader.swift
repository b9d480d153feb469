internal import CLibPQ

/// Reads the columns of one row from left to right.
///
/// A reader is lent to ``RowDecodable/init(row:)``. Reading beyond the last column is an error; unread
/// columns are ignored.
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

  /// The number of columns in the row.
  public var count: Int { Int(columns) }

  /// The number of unread columns.
  public var remaining: Int { Int(columns - column) }

  /// Reads the next column.
  ///
  /// Inlinable, so that a row of known types is decoded without type checks at run time.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if there is no further column, if
  ///   the value is null, or if the column has a type that cannot be read as `T`. The error names the column
  ///   and both types.
  @inlinable
  public mutating func next<T: PostgresDecodable>(as type: T.Type = T.self) throws(PostgresError) -> T {
    try T(postgres: nextCell(type))
  }

  /// Reads the next column, which may be null.
  ///
  /// - Returns: the value; `nil` for null.
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if there is no further column or if
  ///   the column has a type that cannot be read as `T`.
  @inlinable
  public mutating func next<T: PostgresDecodable>(as type: T?.Type = T?.self) throws(PostgresError) -> T? {
    if skipNull() { return nil }
    return try T(postgres: nextCell(T.self))
  }

  /// Returns the next column as a cell.
  @usableFromInline
  mutating func nextCell(_ wanted: Any.Type) throws(PostgresError) -> PostgresCell {
    guard column < columns else {
      throw PostgresError(
        .decoding,
        "the row has \(columns) columns, but another one was requested as \(wanted)"
      )
    }
    let index = column
    column += 1
    let length = PQgetlength(result, row, index)
    // A null has length 0, so only empty values need the second check.
    let isNull = length == 0 && PQgetisnull(result, row, index) != 0
    return PostgresCell(
      type: PQftype(result, index),
      column: Int(index),
      raw: isNull
        ? nil : UnsafeRawBufferPointer(start: PQgetvalue(result, row, index), count: Int(length)),
      result: result
    )
  }

  /// Skips the next column if it is null. Returns true if it was.
  @usableFromInline
  mutating func skipNull() -> Bool {
    guard column < columns, PQgetisnull(result, row, column) != 0 else { return false }
    column += 1
    return true
  }

  /// Skips the next column, without checking that there is one.
  public mutating func skip() {
    column += 1
  }
}
