/// A time of day in hours and minutes on a 24-hour clock, without a time zone.
package struct LocalTime: Sendable, Hashable, Comparable {
  /// The minutes since midnight, 0 to 1439.
  package let minutes: Int

  /// Creates a time from hour and minute.
  ///
  /// - Throws: `invalid_time` unless the hour is 0 to 23 and the minute 0 to 59.
  package init(hour: Int, minute: Int) throws(DomainError) {
    guard (0...23).contains(hour), (0...59).contains(minute) else {
      throw DomainError(.invalidTime, "there is no time \(hour):\(minute); times are 00:00 to 23:59")
    }
    minutes = hour * 60 + minute
  }

  /// Parses a time of the form `08:00`.
  ///
  /// Other forms are not accepted, because guessing stores wrong times: devices with a 12-hour clock send
  /// `8:00 AM`.
  ///
  /// - Throws: `invalid_time` with the reason.
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
      return "use the 24-hour clock, such as 16:30"
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 3 { return "leave out the seconds" }
    if parts.count == 2, parts[0].count == 1 { return "write the hour with two digits, such as 0\(text)" }
    return "write hours and minutes, such as 08:00"
  }
}

extension LocalTime: Codable, CustomStringConvertible {
  /// The time in the form `08:00`.
  package var description: String {
    [hour, minute].map { $0 < 10 ? "0\($0)" : String($0) }.joined(separator: ":")
  }

  /// Decodes a time of the form `08:00`, or `08:00:00` as PostgreSQL prints it.
  ///
  /// - Throws: `invalid_time`.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    // PostgreSQL prints the seconds too, which are always zero in these columns.
    try self.init(parsing: text.utf8.count == 8 && text.hasSuffix(":00") ? String(text.dropLast(3)) : text)
  }

  /// Encodes the time in the form `08:00`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
