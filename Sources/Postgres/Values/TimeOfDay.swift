/// A time of day without a date or a time zone: PostgreSQL's `time`, from 00:00 to 24:00.
///
/// ```swift
/// let opening = TimeOfDay(hour: 8, minute: 30)
/// let closing = TimeOfDay(iso: "17:00")
/// ```
///
/// Precise to the microsecond. Comparisons are by time.
public struct TimeOfDay: Sendable, Hashable {
  /// Microseconds since midnight, 0 to 86,400,000,000.
  public let microseconds: Int64

  /// Creates a time from the microseconds since midnight; `nil` outside 0 to 24 hours.
  public init?(microseconds: Int64) {
    guard (0...86_400_000_000).contains(microseconds) else { return nil }
    self.microseconds = microseconds
  }

  /// Creates a time from its parts; `nil` for an invalid one. 24:00 is valid, any later time is not.
  public init?(hour: Int, minute: Int, second: Int = 0, microsecond: Int = 0) {
    guard (0...24).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    guard (0...999_999).contains(microsecond) else { return nil }
    self.init(microseconds: Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(microsecond))
  }

  /// Creates a time from text such as `08:00`, `08:00:30` or `08:00:30.25`; `nil` for any other form, for a
  /// time that does not exist, and for more than six digits of a fraction.
  public init?(iso text: String) {
    self.init(Array(text.utf8)[...])
  }

  init(unchecked microseconds: Int64) {
    self.microseconds = microseconds
  }

  init?(_ utf8: ArraySlice<UInt8>) {
    let text = Array(utf8)
    let colon = UInt8(ascii: ":")
    guard text.count == 5 || text.count >= 8, text[2] == colon else { return nil }
    guard let hour = parseDigits(text[0..<2]), let minute = parseDigits(text[3..<5]) else { return nil }
    guard text.count > 5 else {
      self.init(hour: hour, minute: minute)
      return
    }
    guard text[5] == colon, let second = parseDigits(text[6..<8]) else { return nil }
    var fraction = 0
    if text.count > 8 {
      // Digits beyond the microsecond would be lost, so they are rejected.
      guard text[8] == UInt8(ascii: "."), text.count <= 15 else { return nil }
      guard let digits = parseDigits(text[9...]) else { return nil }
      fraction = (text.count..<15).reduce(digits) { value, _ in value * 10 }
    }
    self.init(hour: hour, minute: minute, second: second, microsecond: fraction)
  }

  /// The hour, 0 to 24.
  public var hour: Int { Int(microseconds / 3_600_000_000) }
  /// The minute, 0 to 59.
  public var minute: Int { Int(microseconds / 60_000_000 % 60) }
  /// The second without its fraction, 0 to 59.
  public var second: Int { Int(microseconds / 1_000_000 % 60) }
}

extension TimeOfDay: Comparable {
  /// Returns true if the left time is earlier.
  public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension TimeOfDay: CustomStringConvertible {
  /// The time as `08:00:30`, with a fraction only if there is one.
  public var description: String {
    let whole = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    var fraction = Substring(padded(Int(microseconds % 1_000_000), 6))
    while fraction.last == "0" { fraction.removeLast() }
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }
}

extension TimeOfDay: PostgresEncodable, PostgresDecodable {
  /// `time without time zone`.
  public static var postgresType: PostgresType { .time }

  /// Appends the microseconds since midnight.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(microseconds)
  }

  /// Reads `time without time zone`; any other type is an error.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.time.oid else { throw cell.mismatch(TimeOfDay.self) }
    let microseconds = try cell.integer(Int64.self)
    guard let time = TimeOfDay(microseconds: microseconds) else {
      throw cell.failure("is not a time of day")
    }
    self = time
  }
}
