extension Bool: PostgresEncodable, PostgresDecodable {
  /// `boolean`.
  public static var postgresType: PostgresType { .bool }

  /// Appends one byte: 1 for true, 0 for false.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(UInt8(self ? 1 : 0))
  }

  /// Reads `boolean`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.bool.oid else { throw cell.mismatch(Bool.self) }
    self = try cell.integer(UInt8.self) != 0
  }
}
