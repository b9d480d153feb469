extension Instant: PostgresEncodable, PostgresDecodable {
  /// Microseconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
  private static let epoch: Int64 = 946_684_800_000_000

  /// `timestamp with time zone`.
  public static var postgresType: PostgresType { .timestamptz }

  /// Appends the microseconds since 2000-01-01, or PostgreSQL's values for the infinities.
  public func encode(into buffer: inout ParameterBuffer) {
    switch self {
    case .distantFuture: buffer.append(Int64.max)
    case .distantPast: buffer.append(Int64.min)
    default:
      // The server rejects values this close to the ends of Int64 as out of range.
      let (value, overflow) = microseconds.subtractingReportingOverflow(Self.epoch)
      buffer.append(overflow ? Int64.min + 1 : value)
    }
  }

  /// Reads `timestamp with time zone`; any other type, `timestamp without time zone` included, is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.timestamptz.oid else { throw cell.mismatch(Instant.self) }
    let value = try cell.integer(Int64.self)
    switch value {
    case .max: self = .distantFuture
    case .min: self = .distantPast
    default:
      let (sum, overflow) = value.addingReportingOverflow(Self.epoch)
      guard !overflow else { throw cell.failure("is outside the range of \(Instant.self)") }
      self.init(microseconds: sum)
    }
  }
}
