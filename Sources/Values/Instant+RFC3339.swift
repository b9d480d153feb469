extension Instant {
  private static let day: Int64 = 86_400_000_000

  /// The time in UTC, with only the decimals that it needs: `2026-03-28T21:00:00Z`, `…:00.25Z`.
  ///
  /// Years outside 1 to 9999, which RFC 3339 does not cover, are written with as many digits as they need;
  /// the infinities as `infinity` and `-infinity`.
  public var rfc3339: String {
    if self == .distantFuture { return "infinity" }
    if self == .distantPast { return "-infinity" }
    let (days, time) = microseconds.flooredDivision(by: Self.day)
    // Years have six digits and a sign at most.
    return String(ascii: 32) {
      $0.put(LocalDate.civil(daysSince1970: Int(days)))
      $0.put("T")
      $0.put(LocalTime(unchecked: time), hasSeconds: true)
      $0.put("Z")
    }
  }

  /// Parses RFC 3339, such as `2026-03-28T22:00:00.25+01:00`: a date, `T` or a space, a time with up to six decimals,
  /// and `Z` or an offset. The years are 1 to 9999.
  ///
  /// - Returns: nil for any other form, for dates and times that do not exist, and for 24:00 and leap seconds.
  public init?(rfc3339 text: String) {
    guard let instant = text.scanned({ Instant(scanning: $0) }) else { return nil }
    self = instant
  }

  /// Parses RFC 3339 as the clocks of programs write it: with more decimals than six, which are cut off, or without
  /// seconds.
  public init?(clock text: String) {
    guard let dot = text.firstIndex(of: ".") else {
      guard text.utf8.count > 16 else { return nil }
      let minutes = text.index(text.startIndex, offsetBy: 16, limitedBy: text.endIndex) ?? text.endIndex
      let isWhole = text[minutes...].hasPrefix(":")
      self.init(rfc3339: isWhole ? text : "\(text[..<minutes]):00\(text[minutes...])")
      return
    }
    let decimals = text[dot...].dropFirst().prefix { $0.isASCII && $0.isNumber }
    self.init(rfc3339: "\(text[...dot])\(decimals.prefix(6))\(text[decimals.endIndex...])")
  }

  private init?(scanning text: UnsafeBufferPointer<UInt8>) {
    guard text.count >= 20, "Tt ".utf8.contains(text[10]),
      let date = LocalDate(scanning: .init(rebasing: text[..<10]))
    else { return nil }
    let isUTC = text.last == UInt8(ascii: "Z") || text.last == UInt8(ascii: "z")
    let zone = isUTC ? text.count - 1 : text.count - 6
    guard zone >= 19, let offset = isUTC ? 0 : Self.offset(.init(rebasing: text[zone...])),
      let time = LocalTime(scanning: .init(rebasing: text[11..<zone])), time.microseconds < Self.day
    else { return nil }
    self.init(microseconds: Int64(date.daysSince1970) * Self.day + time.microseconds - offset)
  }

  /// Returns the microseconds of `+01:00`; nil for another form.
  private static func offset(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"), text[3] == UInt8(ascii: ":"),
      let hours = Int64(asciiDigits: text[1...2]), let minutes = Int64(asciiDigits: text[4...5]),
      hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (text[0] == UInt8(ascii: "-") ? -60_000_000 : 60_000_000)
  }
}

extension Instant: CustomStringConvertible {
  /// The time in UTC, as in ``rfc3339``.
  public var description: String { rfc3339 }
}
