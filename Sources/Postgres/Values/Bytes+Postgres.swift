extension UInt8: PostgresEncodable, PostgresDecodable {
  /// `"char"`, PostgreSQL's one-byte type.
  public static var postgresType: PostgresType { .char }
  /// Bytes in a row are `bytea`, not an array.
  public static var postgresArrayType: PostgresType { .bytea }

  /// The byte.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(self)
  }

  /// Appends the bytes of a `bytea` as they are.
  public static func encodeArray(_ elements: [UInt8], into buffer: inout ParameterBuffer) {
    buffer.append(bytes: elements)
  }

  /// Reads `"char"`.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.char.oid else { throw cell.mismatch(UInt8.self) }
    self = try cell.integer()
  }

  /// Reads a `bytea`.
  public static func decodeArray(_ cell: borrowing PostgresCell) throws(PostgresError) -> [UInt8] {
    guard cell.type == PostgresType.bytea.oid else { throw cell.mismatch([UInt8].self) }
    return try cell.bytes()
  }
}
