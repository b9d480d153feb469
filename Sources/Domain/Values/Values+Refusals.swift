// The values refuse wrong text with nil; these say what is wrong.

extension DomainError {
  /// Creates the refusal of text that ``ExactDecimal`` does not accept.
  init(number text: String) {
    self.init(
      .invalidNumber,
      "\(Quoted(text)) is \(ExactDecimal.isNumber(text) ? "out of range" : "not a number")"
    )
  }
}

extension ExactDecimal {
  /// Parses a number as ``init(_:)`` does.
  ///
  /// - Throws: `invalid_number`, also for one out of range.
  package init(parsing text: String) throws(DomainError) {
    guard let number = ExactDecimal(text) else { throw DomainError(number: text) }
    self = number
  }
}

extension Instant {
  /// Parses RFC 3339 as ``init(rfc3339:)`` does.
  ///
  /// - Throws: `invalid_instant`, also for a date or time that does not exist.
  package init(parsing text: String) throws(DomainError) {
    guard let instant = Instant(rfc3339: text) else {
      throw DomainError(.invalidInstant, "\(Quoted(text)) is not a timestamp such as 2026-03-28T21:00:00Z")
    }
    self = instant
  }
}

extension LocalDate {
  /// Parses a date of the form `2026-03-28`.
  ///
  /// - Throws: `invalid_date` for another form, or a date that does not exist.
  package init(parsing text: String) throws(DomainError) {
    guard let date = LocalDate(iso: text) else {
      throw DomainError(.invalidDate, "\(Quoted(text)) is not a date such as 2026-03-28")
    }
    self = date
  }
}

extension LocalTime {
  /// Parses a time of the form `08:00`, 00:00 to 23:59.
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
    guard hour < 24, let time = LocalTime(hour: Int(hour), minute: Int(minute)) else {
      throw DomainError(.invalidTime, "there is no time \(text); times are 00:00 to 23:59")
    }
    self = time
  }

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
