extension LocalTime: PostgresEncodable, PostgresDecodable {
  /// `time without time zone`.
  public static var postgresType: PostgresType { .time }

  /// Appends the microseconds since midnight.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(microseconds)
  }

  /// Reads `time without time zone`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.time.oid else { throw cell.mismatch(LocalTime.self) }
    guard let time = LocalTime(microseconds: try cell.integer(Int64.self)) else {
      throw cell.failure("is not a time of day")
    }
    self = time
  }
}
