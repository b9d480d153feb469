extension LocalDate: PostgresEncodable, PostgresDecodable {
  /// Days from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
  private static let epoch = 10_957

  /// `date`.
  public static var postgresType: PostgresType { .date }

  /// Appends the days since 2000-01-01.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Int32(daysSince1970 - Self.epoch))
  }

  /// Reads `date`; any other type, the infinities and years outside 1 to 9999 are errors.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.date.oid else { throw cell.mismatch(LocalDate.self) }
    let days = Int(try cell.integer(Int32.self)) + Self.epoch
    guard Self.days.contains(days) else { throw cell.failure("is outside the years 1 to 9999") }
    self.init(daysSince1970: days)
  }
}
