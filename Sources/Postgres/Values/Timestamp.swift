/// A point in time with microsecond precision: PostgreSQL's `timestamp with time zone`.
///
/// ```swift
/// let now = try await database.value("select now()", as: Timestamp.self)
/// let tomorrow = now + .seconds(86_400)
/// ```
///
/// Survives a round trip through the database unchanged, unlike `Date` with its binary fractions.
public struct Timestamp: Sendable, Hashable {
  /// Microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
  public let microseconds: Int64

  /// Creates a point in time from the microseconds since 1970-01-01 00:00:00 UTC.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Later than every other point in time: `infinity`.
  public static let distantFuture = Timestamp(microseconds: .max)
  /// Earlier than every other point in time: `-infinity`.
  public static let distantPast = Timestamp(microseconds: .min)

  /// Returns the duration since an earlier point in time; negative if that one is later. That of an infinity is the
  /// longest that 64 bits of microseconds hold.
  public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    let (distance, overflow) = later.microseconds.subtractingReportingOverflow(earlier.microseconds)
    return .microseconds(overflow ? (later > earlier ? .max : .min) : distance)
  }

  /// Returns the point in time that much later; the duration is truncated to microseconds. A sum beyond the range is an
  /// infinity.
  public static func + (start: Timestamp, distance: Duration) -> Timestamp {
    let (seconds, attoseconds) = distance.components
    let (whole, exceeds) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (moved, overflow) = start.microseconds.addingReportingOverflow(whole)
    let (sum, carry) = moved.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    guard exceeds || overflow || carry else { return Timestamp(microseconds: sum) }
    return distance > .zero ? .distantFuture : .distantPast
  }
}

extension Timestamp: Comparable {
  /// Returns true if the left point in time is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Timestamp: PostgresEncodable, PostgresDecodable {
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
    guard cell.type == PostgresType.timestamptz.oid else { throw cell.mismatch(Timestamp.self) }
    let value = try cell.integer(Int64.self)
    switch value {
    case .max: self = .distantFuture
    case .min: self = .distantPast
    default:
      let (sum, overflow) = value.addingReportingOverflow(Self.epoch)
      guard !overflow else { throw cell.failure("is outside the range of \(Timestamp.self)") }
      self.init(microseconds: sum)
    }
  }
}
