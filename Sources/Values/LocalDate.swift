/// A date of the Gregorian calendar without a time zone: PostgreSQL's `date`, 0001-01-01 to 9999-12-31.
///
/// ```swift
/// guard let day = LocalDate(year: 2026, month: 3, day: 28) else { return }
/// let due = try tx.rows("select id from invoice where due <= \(day)", UUID.self)
/// ```
public struct LocalDate: Sendable, Hashable {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates a date; nil if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    guard (1...length).contains(day) else { return nil }
    self.init(trusted: (year, month, day))
  }

  /// Parses a date of the form `2026-03-28`; nil for any other form and for a date that does not exist.
  public init?(iso text: String) {
    guard let date = text.scanned({ LocalDate(scanning: $0) }) else { return nil }
    self = date
  }

  init?(scanning text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = Int64(asciiDigits: text[..<4]), let month = Int64(asciiDigits: text[5..<7]),
      let day = Int64(asciiDigits: text[8...])
    else { return nil }
    self.init(year: Int(year), month: Int(month), day: Int(day))
  }

  /// The days since 1970-01-01 of the first and the last date.
  package static let days = -719_162...2_932_896

  /// Creates the date a number of days after 1970-01-01, clamped to the years 1 to 9999.
  public init(daysSince1970 days: Int) {
    let clamped = min(max(days, Self.days.lowerBound), Self.days.upperBound)
    self.init(trusted: Self.civil(daysSince1970: clamped))
  }

  private init(trusted date: (year: Int, month: Int, day: Int)) { (year, month, day) = date }

  /// Returns the date of a day in any year.
  static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    // Counts from 0000-03-01, so that the leap day is the last day of its year (Hinnant, chrono-compatible
    // dates, civil_from_days).
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The number of days since 1970-01-01, negative before.
  public var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the date a number of days later, clamped to the years 1 to 9999.
  public func adding(days: Int) -> LocalDate { LocalDate(daysSince1970: daysSince1970 + days) }
}

extension LocalDate: Comparable {
  /// Returns true if the left date is earlier.
  public static func < (left: LocalDate, right: LocalDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension LocalDate: CustomStringConvertible {
  /// The date in the form `2026-03-28`.
  public var description: String { String(ascii: 10) { $0.put((year, month, day)) } }
}

extension ASCIIText {
  /// Writes a date in the form `2026-03-28`, with a sign before a year that is negative.
  mutating func put(_ date: (year: Int, month: Int, day: Int)) {
    if date.year < 0 { put("-") }
    put(Int64(abs(date.year)), 4)
    put("-")
    put(Int64(date.month), 2)
    put("-")
    put(Int64(date.day), 2)
  }
}
