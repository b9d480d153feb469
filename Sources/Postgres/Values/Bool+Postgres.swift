extension Bool: PostgresEncodable, PostgresDecodable {
  /// `boolean`.
  public static var postgresType: PostgresType { .bool }

  /// One byte, 1 for true.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(UInt8(self ? 1 : 0))
  }

  /// Reads `boolean`.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.bool.oid else { throw cell.mismatch(Bool.self) }
    self = try cell.integer(UInt8.self) != 0
  }
}
