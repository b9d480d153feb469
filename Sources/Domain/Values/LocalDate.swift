/// A date in the Gregorian calendar without a time zone, 0001-01-01 to 9999-12-31.
package struct LocalDate: Sendable, Hashable, Comparable {
  /// The year, 1 to 9999.
  package let year: Int
  /// The month, 1 to 12.
  package let month: Int
  /// The day of the month, 1 to 31.
  package let day: Int

  /// Creates a date from year, month and day.
  ///
  /// - Throws: `invalid_date` for a date that does not exist, such as 2025-02-29.
  package init(year: Int, month: Int, day: Int) throws(DomainError) {
    guard let date = Self.existing(year: year, month: month, day: day) else {
      throw DomainError(.invalidDate, "there is no date \(year)-\(month)-\(day)")
    }
    self = date
  }

  /// Parses a date of the form `2026-03-28`.
  ///
  /// - Throws: `invalid_date` for another form, or a date that does not exist.
  package init(parsing text: String) throws(DomainError) {
    guard let date = LocalDate(scanning: Array(text.utf8)[...]) else {
      throw DomainError(.invalidDate, "\(Quoted(text)) is not a date such as 2026-03-28")
    }
    self = date
  }

  init?(scanning bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
    guard
      let year = Int64(asciiDigits: bytes[0..<4]),
      let month = Int64(asciiDigits: bytes[5..<7]),
      let day = Int64(asciiDigits: bytes[8..<10]),
      let date = Self.existing(year: Int(year), month: Int(month), day: Int(day))
    else { return nil }
    self = date
  }

  private init(trustedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date a number of days after 1970-01-01, clamped to the years 1 to 9999.
  package init(daysSince1970 days: Int) {
    // Counts from 0000-03-01, so that the leap day is the last day of its year (Hinnant, chrono-compatible
    // dates).
    let shifted = min(max(days, -719_162), 2_932_896) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.init(
      trustedYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
      month: month,
      day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  /// The number of days since 1970-01-01. PostgreSQL counts from 2000-01-01, which is day 10,957.
  package var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the date a number of days later, clamped to the years 1 to 9999.
  package func adding(days: Int) -> LocalDate { LocalDate(daysSince1970: daysSince1970 + days) }

  package static func < (left: LocalDate, right: LocalDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  private static func existing(year: Int, month: Int, day: Int) -> LocalDate? {
    guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    return LocalDate(trustedYear: year, month: month, day: day)
  }
}

extension LocalDate: Codable, CustomStringConvertible {
  /// The date in the form `2026-03-28`.
  package var description: String {
    [(year, 4), (month, 2), (day, 2)].map { value, width in
      String(repeating: "0", count: width - String(value).count) + String(value)
    }.joined(separator: "-")
  }

  /// Decodes a date of the form `2026-03-28`.
  ///
  /// - Throws: `invalid_date`.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the date in the form `2026-03-28`.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
