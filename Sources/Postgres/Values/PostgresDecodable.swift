/// A value that can be read from a column.
///
/// ```swift
/// extension CustomerID: PostgresDecodable {
///   init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
///     self.init(uuid: try UUID(postgres: cell))
///   }
/// }
/// ```
///
/// `Bool`, `Int16`, `Int32`, `Int64`, `Int`, `Double`, `String`, `UUID`, `[UInt8]`, optionals and arrays
/// conform, and the types of this library: ``Instant``, ``LocalDate``, ``LocalTime``, ``ExactDecimal`` and
/// ``JSON``.
public protocol PostgresDecodable {
  /// Reads the value from PostgreSQL's binary format.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding``: ``PostgresCell/mismatch(_:)`` for
  ///   another type.
  init(postgres cell: borrowing PostgresCell) throws(PostgresError)
  /// Reads an array of such values. The default implementation calls ``init(postgres:)`` for each element.
  static func decodeArray(_ cell: borrowing PostgresCell) throws(PostgresError) -> [Self]
  /// The value for a missing row if one value is requested: `nil` for optionals. Other types have none, and a
  /// missing row is an error.
  static var absent: Self? { get }
}

extension PostgresDecodable {
  /// No value: a missing row is an error.
  public static var absent: Self? { nil }

  /// Reads a one-dimensional array; each element is read by ``init(postgres:)``.
  public static func decodeArray(_ cell: borrowing PostgresCell) throws(PostgresError) -> [Self] {
    var elements = try cell.arrayElements([Self].self)
    var values: [Self] = []
    values.reserveCapacity(elements.count)
    for _ in 0..<elements.count {
      let element = try elements.next(of: cell)
      values.append(try Self(postgres: element))
    }
    return values
  }
}
