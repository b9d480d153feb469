extension Double: PostgresEncodable, PostgresDecodable {
  /// `double precision`.
  public static var postgresType: PostgresType { .float8 }

  /// Appends the eight bytes of IEEE 754.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(bitPattern)
  }

  /// Reads `double precision` or `real`; any other type, `numeric` included, is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    switch cell.type {
    case PostgresType.float8.oid: self.init(bitPattern: try cell.integer(UInt64.self))
    case PostgresType.float4.oid: self.init(Float(bitPattern: try cell.integer(UInt32.self)))
    default: throw cell.mismatch(Double.self)
    }
  }
}
