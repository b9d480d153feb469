/// A value that is read from a whole row.
///
/// ```swift
/// struct Book: RowDecodable {
///   let title: String
///   let year: Int?
///
///   init(row: inout RowReader) throws(PostgresError) {
///     title = try row.next()
///     year = try row.next()
///   }
/// }
///
/// let books = try await database.rows("select title, year from book", as: Book.self)
/// ```
///
/// The columns are read in the order of the select list, so name them in the query instead of writing `*`.
/// Columns that are not read are ignored.
public protocol RowDecodable {
  /// Reads the columns in order.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding``, usually from ``RowReader``.
  init(row: inout RowReader) throws(PostgresError)
}

/// The conversion of a row to a value.
typealias RowDecoder<R> = (inout RowReader) throws(PostgresError) -> R

func decodeRow<R: RowDecodable>(_ type: R.Type) -> RowDecoder<R> {
  { (reader: inout RowReader) throws(PostgresError) in try R(row: &reader) }
}

func decodeValue<T: PostgresDecodable>(_ type: T.Type) -> RowDecoder<T> {
  { (reader: inout RowReader) throws(PostgresError) in try reader.next(as: type) }
}

func decodeTuple<each T: PostgresDecodable>(_ types: repeat (each T).Type) -> RowDecoder<(repeat each T)> {
  { (reader: inout RowReader) throws(PostgresError) in
    let tuple = (repeat try reader.next(as: (each T).self))
    guard reader.remaining == 0 else {
      throw PostgresError(
        .decoding,
        "the row has \(reader.count) columns, \(reader.remaining) more than requested"
      )
    }
    return tuple
  }
}
