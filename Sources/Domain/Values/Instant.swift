/// An instant in microseconds since 1970-01-01T00:00:00Z, the resolution of PostgreSQL's `timestamptz`.
package struct Instant: Sendable, Hashable, Comparable {
  /// The microseconds since 1970-01-01T00:00:00Z; negative before that.
  package let microseconds: Int64

  /// Creates an instant.
  ///
  /// - Parameter microseconds: microseconds since 1970-01-01T00:00:00Z.
  package init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates an instant.
  ///
  /// - Parameter seconds: seconds since 1970-01-01T00:00:00Z, clamped to those whose microseconds fit in 64 bits.
  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(microseconds: overflow ? (seconds > 0 ? .max : .min) : product)
  }

  /// Returns the instant a number of microseconds later; nil if it exceeds 64 bits.
  package func advanced(byMicroseconds distance: Int64) -> Instant? {
    let (sum, overflow) = microseconds.addingReportingOverflow(distance)
    return overflow ? nil : Instant(microseconds: sum)
  }

  /// Returns the microseconds until another instant, negative if that is earlier. A result beyond 64 bits is
  /// clamped.
  package func microseconds(until other: Instant) -> Int64 {
    let (difference, overflow) = other.microseconds.subtractingReportingOverflow(microseconds)
    return overflow ? (other > self ? .max : .min) : difference
  }

  package static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }
}

extension Instant {
  /// Parses RFC 3339: a date, `T`, a time with up to six decimals, and `Z` or an offset.
  ///
  /// - Throws: `invalid_instant`, also for a date or time that does not exist.
  package init(parsing text: String) throws(DomainError) {
    guard let instant = Self.scan(Array(text.utf8)) else {
      throw DomainError(.invalidInstant, "\(Quoted(text)) is not a timestamp such as 2026-03-28T21:00:00Z")
    }
    self = instant
  }

  /// The instant as RFC 3339 text in UTC, with only the decimals that it needs: `2026-03-28T21:00:00Z`,
  /// `…:00.25Z`.
  package var rfc3339: String {
    let (days, time) = microseconds.flooredDivision(by: 86_400_000_000)
    let (seconds, fraction) = time.flooredDivision(by: 1_000_000)
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, to: 2) }.joined(
      separator: ":"
    )
    var decimals = fraction == 0 ? "" : "." + padded(fraction, to: 6)
    while decimals.hasSuffix("0") { decimals.removeLast() }
    return "\(LocalDate(daysSince1970: Int(days)))T\(clock)\(decimals)Z"
  }

  private static func scan(_ text: [UInt8]) -> Instant? {
    guard text.count >= 20, text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t") else { return nil }
    guard text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":") else { return nil }
    guard
      let date = LocalDate(scanning: text[..<10]),
      let hour = number(text[11..<13]), let minute = number(text[14..<16]),
      let second = number(text[17..<19]),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var rest = text[19...]
    var micro: Int64 = 0
    if rest.first == UInt8(ascii: ".") {
      let decimals = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
      guard (1...6).contains(decimals.count), let value = number(decimals) else { return nil }
      micro = (decimals.count..<6).reduce(value) { product, _ in product * 10 }
      rest = rest.dropFirst(1 + decimals.count)
    }
    guard let offset = offset(rest) else { return nil }
    let seconds = Int64(date.daysSince1970) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Instant(microseconds: seconds * 1_000_000 + micro)
  }

  private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
    let text = Array(text)
    guard text.count == 6, text[3] == UInt8(ascii: ":") else { return nil }
    guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") else { return nil }
    guard let hours = number(text[1..<3]), let minutes = number(text[4..<6]), hours < 24, minutes < 60 else {
      return nil
    }
    return (hours * 3600 + minutes * 60) * (text[0] == UInt8(ascii: "-") ? -1 : 1)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? { Int64(asciiDigits: digits) }

  private func padded(_ value: Int64, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

extension Instant: Codable, CustomStringConvertible {
  /// The instant as RFC 3339 text in UTC.
  package var description: String { rfc3339 }

  /// Decodes RFC 3339 text.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the instant as RFC 3339 text in UTC.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rfc3339)
  }
}
