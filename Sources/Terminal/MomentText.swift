/// Formats times for people: in a time zone, to the second; to the minute where there is little room.
package enum MomentText {
  /// Returns an RFC 3339 time by a clock, without fractions of a second: for Stockholm,
  /// `2026-03-28T21:00:00.123456Z` becomes `2026-03-28 22:00:00+01`.
  ///
  /// Without a clock, the result is in UTC and ends with `Z`. Text that is not an RFC 3339 time stays
  /// unchanged.
  ///
  /// - Parameter isShort: true to leave out seconds and offset: `2026-03-28 22:00`.
  package static func text(_ moment: String, by clock: ZoneClock?, isShort: Bool = false) -> String {
    guard let seconds = seconds(moment) else { return moment }
    let offset = clock?.offset(at: seconds) ?? 0
    let local = seconds + Int64(offset)
    let date = CivilDate(secondsSince1970: local)
    let time = Int(((local % 86_400) + 86_400) % 86_400)
    let day = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    let minute = "\(day) \(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2))"
    guard !isShort else { return minute + (clock == nil ? "Z" : "") }
    return "\(minute):\(padded(time % 60, 2))\(clock == nil ? "Z" : suffix(offset))"
  }

  /// Returns an offset in seconds as text, such as `+01` or `-03:30`.
  private static func suffix(_ offset: Int) -> String {
    let minutes = abs(offset) / 60
    let rest = minutes % 60 == 0 ? "" : ":\(padded(minutes % 60, 2))"
    return "\(offset < 0 ? "-" : "+")\(padded(minutes / 60, 2))\(rest)"
  }

  /// Returns the whole seconds since 1970 of an RFC 3339 time; nil for other text.
  private static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, ["T", " "].contains(UnicodeScalar(bytes[10])) else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      let digits = bytes[range]
      guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
    else { return nil }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") { zone = zone.dropFirst().drop { (48...57).contains($0) } }
    var offset = 0
    if zone.elementsEqual("Z".utf8) || zone.elementsEqual("z".utf8) {
    } else if zone.count == 6, let first = zone.first,
      first == UInt8(ascii: "+") || first == UInt8(ascii: "-"),
      let hours = number(zone.startIndex + 1..<zone.startIndex + 3),
      let minutes = number(zone.startIndex + 4..<zone.startIndex + 6)
    {
      offset = (hours * 60 + minutes) * (first == UInt8(ascii: "-") ? -60 : 60)
    } else {
      return nil
    }
    let days = Int64(CivilDate.days(year, month, day))
    return days * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
