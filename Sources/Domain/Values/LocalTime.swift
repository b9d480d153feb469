/// A time of day on a 24-hour clock, to the minute, without a time zone.
package struct LocalTime: Sendable, Hashable, Comparable {
  /// Minutes since midnight, 0 to 1439.
  package let minutes: Int

  /// - Throws: `invalid_time` unless the hour is 0 to 23 and the minute 0 to 59.
  package init(hour: Int, minute: Int) throws(DomainError) {
    guard (0...23).contains(hour), (0...59).contains(minute) else {
      throw DomainError(.invalidTime, "there is no time \(hour):\(minute); a day goes from 00:00 to 23:59")
    }
    minutes = hour * 60 + minute
  }

  /// Parses `08:00`.
  ///
  /// Refuses every other form with a reason. A phone with a 12-hour clock writes `8:00 AM`, which an app that
  /// guessed would store as zero hours.
  ///
  /// - Throws: `invalid_time`.
  package init(parsing text: String) throws(DomainError) {
    let bytes = Array(text.utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
      let hour = Int64(asciiDigits: bytes[..<2]), let minute = Int64(asciiDigits: bytes[3...])
    else {
      throw DomainError(.invalidTime, "\(Quoted(text)) is not a time: \(Self.reason(for: text))")
    }
    try self.init(hour: Int(hour), minute: Int(minute))
  }

  /// The hour, 0 to 23.
  package var hour: Int { minutes / 60 }

  /// The minute of the hour, 0 to 59.
  package var minute: Int { minutes % 60 }

  package static func < (left: LocalTime, right: LocalTime) -> Bool { left.minutes < right.minutes }

  private static func reason(for text: String) -> String {
    let lowered = text.lowercased()
    if lowered.contains("am") || lowered.contains("pm") || lowered.contains("a.m") || lowered.contains("p.m")
    {
      return "write it on a clock with 24 hours, such as 16:30"
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 3 { return "leave out the seconds" }
    if parts.count == 2, parts[0].count == 1 { return "write the hour with two digits, such as 0\(text)" }
    return "write hours and minutes, such as 08:00"
  }
}

extension LocalTime: Codable, CustomStringConvertible {
  /// The time as `08:00`.
  package var description: String {
    [hour, minute].map { $0 < 10 ? "0\($0)" : String($0) }.joined(separator: ":")
  }

  /// Reads `08:00`.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    // PostgreSQL adds seconds, which are zero in a column with minute precision.
    try self.init(parsing: text.utf8.count == 8 && text.hasSuffix(":00") ? String(text.dropLast(3)) : text)
  }

  /// Writes `08:00`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
