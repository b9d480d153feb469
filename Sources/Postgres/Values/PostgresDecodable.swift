/// A value that can be read from a column.
///
/// ```swift
/// extension CustomerID: PostgresDecodable {
///   init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
///     self.init(uuid: try UUID(postgres: cell))
///   }
/// }
/// ```
public protocol PostgresDecodable {
  /// Reads the value from PostgreSQL's binary format; throws ``PostgresCell/mismatch(_:)`` for another type.
  init(postgres cell: borrowing PostgresCell) throws(PostgresError)
  /// Reads an array of such values; nearly always left to the default.
  static func decodeArray(_ cell: borrowing PostgresCell) throws(PostgresError) -> [Self]
  /// What stands for "no row" where one value is asked for: `nil` for optionals, otherwise an error.
  static var absent: Self? { get }
}

extension PostgresDecodable {
  /// No value stands for a missing row.
  public static var absent: Self? { nil }

  /// One dimension; the elements are read by ``init(postgres:)``.
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
