/// A date as a spreadsheet or another program writes it, perhaps with a time of day.
///
/// Its value may depend on the order of day and month: `01/02/2026` is a day of January or of February.
package struct WrittenDate: Sendable, Hashable {
  private let parts: [Int]
  private let widths: [Int]
  /// The instant of a date with a time of day and an offset from UTC; nil without an offset.
  package let instant: Instant?
  /// The time of day without an offset, in microseconds since midnight; nil if there is none.
  package let microseconds: Int64?

  /// Parses three numbers with the same sign `.`, `/` or `-` between them, and a time of day after `T` or a
  /// blank. Returns nil for another text.
  package init?(parsing text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 40 else { return nil }
    var rest = bytes[...]
    var parts: [Int] = []
    var widths: [Int] = []
    var sign: UInt8?
    while parts.count < 3 {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard (1...4).contains(digits.count), let value = Int64(asciiDigits: digits) else { return nil }
      parts.append(Int(value))
      widths.append(digits.count)
      rest = rest.dropFirst(digits.count)
      guard parts.count < 3 else { break }
      guard let next = rest.first, "./-".utf8.contains(next), sign == nil || sign == next else { return nil }
      sign = next
      rest.removeFirst()
    }
    self.parts = parts
    self.widths = widths
    guard !rest.isEmpty else {
      instant = nil
      microseconds = nil
      return
    }
    guard let clock = WrittenClock(rest) else { return nil }
    guard let offset = clock.offset else {
      instant = nil
      microseconds = clock.microseconds
      return
    }
    microseconds = nil
    // An offset is written by programs, and these write the year first.
    guard widths[0] == 4, let date = LocalDate(year: parts[0], month: parts[1], day: parts[2]) else {
      return nil
    }
    let midnight = Int64(date.daysSince1970) * 86_400 - offset
    instant = Instant(microseconds: midnight * 1_000_000 + clock.microseconds)
  }

  /// True for a date without a time of day.
  package var isDay: Bool { instant == nil && microseconds == nil }

  /// True if the year has two digits.
  package var isShort: Bool { widths.allSatisfy { $0 <= 2 } }

  /// Returns the date if this is the format; nil if there is no such date, or its year has another length.
  package func date(_ format: DateFormat) -> LocalDate? {
    let (year, month, day) =
      switch format.order {
      case .dayFirst: (2, 1, 0)
      case .monthFirst: (2, 0, 1)
      case .yearFirst: (0, 1, 2)
      }
    guard widths[year] == (format.isShort ? 2 : 4), widths[month] <= 2, widths[day] <= 2 else { return nil }
    let century = !format.isShort ? 0 : parts[year] >= 69 ? 1900 : 2000
    return LocalDate(year: parts[year] + century, month: parts[month], day: parts[day])
  }
}
