/// A wrapper that is stored as its raw value, such as a typed key around a UUID.
///
/// ```swift
/// struct CustomerID: RawRepresentable, PostgresRawRepresentable {
///   let rawValue: UUID
/// }
/// ```
public protocol PostgresRawRepresentable: RawRepresentable, PostgresEncodable, PostgresDecodable
where RawValue: PostgresEncodable & PostgresDecodable {}

extension PostgresRawRepresentable {
  /// The type of the raw value.
  public static var postgresType: PostgresType { RawValue.postgresType }

  /// Appends the raw value.
  public func encode(into buffer: inout ParameterBuffer) {
    rawValue.encode(into: &buffer)
  }

  /// Reads the raw value.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` if the column has another type, or
  ///   if `init(rawValue:)` returns `nil`.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    let raw = try RawValue(postgres: cell)
    guard let value = Self(rawValue: raw) else { throw cell.failure("is not a value of \(Self.self)") }
    self = value
  }
}
