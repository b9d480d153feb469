extension UInt8: PostgresEncodable, PostgresDecodable {
  /// `"char"`, PostgreSQL's one-byte type.
  public static var postgresType: PostgresType { .char }
  /// `bytea`: `[UInt8]` is a string of bytes, not an array of `"char"`.
  public static var postgresArrayType: PostgresType { .bytea }

  /// Appends the byte.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(self)
  }

  /// Appends the bytes of a `bytea` as they are.
  public static func encodeArray(_ elements: [UInt8], into buffer: inout ParameterBuffer) {
    buffer.append(bytes: elements)
  }

  /// Reads `"char"`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.char.oid else { throw cell.mismatch(UInt8.self) }
    self = try cell.integer()
  }

  /// Reads a `bytea`; any other type is an error.
  public static func decodeArray(_ cell: borrowing PostgresCell) throws(PostgresError) -> [UInt8] {
    guard cell.type == PostgresType.bytea.oid else { throw cell.mismatch([UInt8].self) }
    return try cell.bytes()
  }
}
