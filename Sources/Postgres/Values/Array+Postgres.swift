extension Array: PostgresEncodable where Element: PostgresEncodable {
  /// The array type of the elements; `bytea` for bytes.
  public static var postgresType: PostgresType {
    let type = Element.postgresArrayType
    return type.oid == PostgresType.bytea.oid ? .bytea : type
  }

  /// One dimension; multi-dimensional arrays are not supported.
  public func encode(into buffer: inout ParameterBuffer) {
    Element.encodeArray(self, into: &buffer)
  }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
  /// Reads an array of one dimension.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try Element.decodeArray(cell)
  }
}
