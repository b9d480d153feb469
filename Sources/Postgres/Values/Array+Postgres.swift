extension Array: PostgresEncodable where Element: PostgresEncodable {
  /// The array type of the elements, such as `bigint[]`; `bytea` for bytes.
  public static var postgresType: PostgresType {
    let type = Element.postgresArrayType
    return type.oid == PostgresType.bytea.oid ? .bytea : type
  }

  /// Appends the elements as an array of one dimension; multi-dimensional arrays are not supported.
  public func encode(into buffer: inout ParameterBuffer) {
    Element.encodeArray(self, into: &buffer)
  }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
  /// Reads an array of one dimension, or an empty one.
  ///
  /// - Throws: ``PostgresError`` of kind ``PostgresError/Kind/decoding`` for another type, for several
  ///   dimensions, and for null elements unless the elements are optional.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try Element.decodeArray(cell)
  }
}
