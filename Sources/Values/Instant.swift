/// A point in time in microseconds since 1970-01-01T00:00:00Z: PostgreSQL's `timestamp with time zone`.
///
/// ```swift
/// let now = try await database.value("select now()", as: Instant.self)
/// let tomorrow = now + .seconds(86_400)
/// ```
///
/// Survives a round trip through the database unchanged, unlike `Date` with its binary fractions.
public struct Instant: Sendable, Hashable {
  /// The microseconds since 1970-01-01T00:00:00Z, leap seconds not counted; negative before that.
  public let microseconds: Int64

  /// Creates a point in time from the microseconds since 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates a point in time.
  ///
  /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z; an infinity if their microseconds exceed 64 bits.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(microseconds: overflow ? (seconds > 0 ? .max : .min) : product)
  }

  /// Later than every other point in time: `infinity`.
  public static let distantFuture = Instant(microseconds: .max)
  /// Earlier than every other point in time: `-infinity`.
  public static let distantPast = Instant(microseconds: .min)

  /// Returns the point in time a number of microseconds later; nil if it exceeds 64 bits.
  public func advanced(byMicroseconds distance: Int64) -> Instant? {
    let (sum, overflow) = microseconds.addingReportingOverflow(distance)
    return overflow ? nil : Instant(microseconds: sum)
  }

  /// Returns the microseconds until another point in time, negative if that is earlier. A result beyond 64 bits is
  /// clamped.
  public func microseconds(until other: Instant) -> Int64 {
    let (difference, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
    return overflow ? (other > self ? .max : .min) : difference
  }

  /// Returns the duration since an earlier point in time; negative if that one is later. That of an infinity is the
  /// longest that 64 bits of microseconds hold.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    .microseconds(earlier.microseconds(until: later))
  }

  /// Returns the point in time that much later; the duration is truncated to microseconds. A sum beyond the range is an
  /// infinity.
  public static func + (start: Instant, distance: Duration) -> Instant {
    let (seconds, attoseconds) = distance.components
    let (whole, exceeds) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (moved, overflow) = start.microseconds.addingReportingOverflow(whole)
    let (sum, carry) = moved.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    guard exceeds || overflow || carry else { return Instant(microseconds: sum) }
    return distance > .zero ? .distantFuture : .distantPast
  }
}

extension Instant: Comparable {
  /// Returns true if the left point in time is earlier.
  public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}
