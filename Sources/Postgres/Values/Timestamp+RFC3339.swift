extension Timestamp {
  private static let day: Int64 = 86_400_000_000

  /// The time in UTC as `2026-03-28T22:00:00Z`, with a fraction only if it is not zero.
  ///
  /// Years outside 1 to 9999, which RFC 3339 does not cover, are written with as many digits as they need;
  /// the infinities as `infinity` and `-infinity`.
  public var rfc3339: String {
    if self == .distantFuture { return "infinity" }
    if self == .distantPast { return "-infinity" }
    let days = Self.floorDivide(microseconds, Self.day)
    let (year, month, dayOfMonth) = CalendarDate.civil(daysSince1970: days)
    let time = TimeOfDay(unchecked: microseconds - days * Self.day)
    let sign = year < 0 ? "-" : ""
    return "\(sign)\(padded(abs(year), 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time.description)Z"
  }

  /// Creates a time from text such as `2026-03-28T22:00:00.25+01:00`: date and time separated by `T` or a
  /// space, then `Z` or an offset. The years are 1 to 9999.
  ///
  /// - Returns: `nil` for any other form, for dates and times that do not exist, for 24:00 and leap seconds,
  ///   for more than six digits of a fraction, and without an offset.
  public init?(rfc3339 text: String) {
    let utf8 = Array(text.utf8)
    guard utf8.count >= 20, let date = CalendarDate(utf8[0..<10]) else { return nil }
    guard utf8[10] == UInt8(ascii: "T") || utf8[10] == UInt8(ascii: "t") || utf8[10] == UInt8(ascii: " ")
    else {
      return nil
    }
    let zoneStart: Int
    let offset: Int64
    if utf8.last == UInt8(ascii: "Z") || utf8.last == UInt8(ascii: "z") {
      (zoneStart, offset) = (utf8.count - 1, 0)
    } else {
      zoneStart = utf8.count - 6
      guard let minutes = Self.offsetMinutes(utf8[zoneStart...]) else { return nil }
      offset = Int64(minutes) * 60_000_000
    }
    guard zoneStart >= 19, let time = TimeOfDay(utf8[11..<zoneStart]), time.microseconds < Self.day else {
      return nil
    }
    self.init(microseconds: date.daysSince1970 * Self.day + time.microseconds - offset)
  }

  /// Returns the offset of `+01:00` in minutes; `nil` for another form.
  private static func offsetMinutes(_ zone: ArraySlice<UInt8>) -> Int? {
    let zone = Array(zone)
    guard zone.count == 6, zone[3] == UInt8(ascii: ":") else { return nil }
    guard let hours = parseDigits(zone[1...2]), let minutes = parseDigits(zone[4...5]) else { return nil }
    guard hours < 24, minutes < 60 else { return nil }
    switch zone[0] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }

  /// Returns the quotient rounded towards negative infinity.
  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }
}

extension Timestamp: CustomStringConvertible {
  /// The time in UTC, as in ``rfc3339``.
  public var description: String { rfc3339 }
}

/// Returns the number in one to nine ASCII digits; `nil` for anything else.
func parseDigits(_ utf8: ArraySlice<UInt8>) -> Int? {
  guard !utf8.isEmpty, utf8.count <= 9 else { return nil }
  var number = 0
  for byte in utf8 {
    guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
    number = number * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return number
}

/// Returns the number with leading zeros, at least `width` digits long.
func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
