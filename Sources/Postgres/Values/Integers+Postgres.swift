extension PostgresCell {
  /// Reads any of PostgreSQL's integer types; a value that does not fit is an error.
  func anyInteger<T: FixedWidthInteger>(_ wanted: T.Type) throws(PostgresError) -> T {
    let wide: Int64
    switch type {
    case PostgresType.int8.oid: wide = try integer()
    case PostgresType.int4.oid: wide = Int64(try integer(Int32.self))
    case PostgresType.int2.oid: wide = Int64(try integer(Int16.self))
    case PostgresType.oid.oid: wide = Int64(try integer(UInt32.self))
    default: throw mismatch(wanted)
    }
    guard let value = T(exactly: wide) else { throw failure("does not fit into \(wanted)") }
    return value
  }
}

extension Int16: PostgresEncodable, PostgresDecodable {
  /// `smallint`.
  public static var postgresType: PostgresType { .int2 }

  /// Appends two bytes.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(self)
  }

  /// Reads `smallint`, `integer`, `bigint` or `oid`; a value that does not fit and any other type are errors.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try cell.anyInteger(Int16.self)
  }
}

extension Int32: PostgresEncodable, PostgresDecodable {
  /// `integer`.
  public static var postgresType: PostgresType { .int4 }

  /// Appends four bytes.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(self)
  }

  /// Reads `smallint`, `integer`, `bigint` or `oid`; a value that does not fit and any other type are errors.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try cell.anyInteger(Int32.self)
  }
}

extension Int64: PostgresEncodable, PostgresDecodable {
  /// `bigint`.
  public static var postgresType: PostgresType { .int8 }

  /// Appends eight bytes.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(self)
  }

  /// Reads `smallint`, `integer`, `bigint` or `oid`; any other type, `numeric` included, is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try cell.anyInteger(Int64.self)
  }
}

extension Int: PostgresEncodable, PostgresDecodable {
  /// `bigint`.
  public static var postgresType: PostgresType { .int8 }

  /// Appends eight bytes.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Int64(self))
  }

  /// Reads `smallint`, `integer`, `bigint` or `oid`; any other type, `numeric` included, is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    self = try cell.anyInteger(Int.self)
  }
}
