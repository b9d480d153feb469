/// A date of the Gregorian calendar without a time zone: PostgreSQL's `date`, years 1 to 9999.
///
/// ```swift
/// guard let day = CalendarDate(year: 2026, month: 3, day: 28) else { return }
/// let due = try tx.rows("select id from invoice where due <= \(day)", UUID.self)
/// ```
///
/// Comparisons are by date. There is no arithmetic except ``daysSince1970``.
public struct CalendarDate: Sendable, Hashable {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates a date; `nil` if the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    guard day <= Self.length(of: month, in: year) else { return nil }
    self.init(unchecked: (year, month, day))
  }

  /// Creates a date from text such as `2026-03-28`; `nil` for any other form and for a date that does not
  /// exist.
  public init?(iso text: String) {
    self.init(Array(text.utf8)[...])
  }

  /// Creates a date from the days since 1970-01-01, negative before; `nil` outside the years 1 to 9999.
  public init?(daysSince1970 days: Int64) {
    guard (-719_162...2_932_896).contains(days) else { return nil }
    self.init(unchecked: Self.civil(daysSince1970: days))
  }

  init?(_ utf8: ArraySlice<UInt8>) {
    let text = Array(utf8)
    let dash = UInt8(ascii: "-")
    guard text.count == 10, text[4] == dash, text[7] == dash else { return nil }
    guard let year = parseDigits(text[0..<4]), let month = parseDigits(text[5..<7]) else { return nil }
    guard let day = parseDigits(text[8..<10]) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  private init(unchecked date: (year: Int, month: Int, day: Int)) {
    (year, month, day) = date
  }

  /// The days since 1970-01-01, negative before.
  public var daysSince1970: Int64 {
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil: years begin in March,
    // so that the leap day comes last.
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let monthFromMarch = Int64((month + 9) % 12)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the date of a day in any year; the same source, `civil_from_days`.
  static func civil(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), Int(month), Int(day))
  }

  /// Returns the number of days in a month.
  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CalendarDate: Comparable {
  /// Returns true if the left date is earlier.
  public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CalendarDate: CustomStringConvertible {
  /// The date as `2026-03-28`.
  public var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
  /// The date as `2026-03-28`.
  public var iso: String { description }
}

extension CalendarDate: PostgresEncodable, PostgresDecodable {
  /// Days from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
  private static let epoch: Int64 = 10_957

  /// `date`.
  public static var postgresType: PostgresType { .date }

  /// Appends the days since 2000-01-01.
  public func encode(into buffer: inout ParameterBuffer) {
    buffer.append(Int32(daysSince1970 - Self.epoch))
  }

  /// Reads `date`; any other type, the infinities and years outside 1 to 9999 are errors.
  public init(postgres cell: borrowing PostgresCell) throws(PostgresError) {
    guard cell.type == PostgresType.date.oid else { throw cell.mismatch(CalendarDate.self) }
    let days = Int64(try cell.integer(Int32.self))
    guard let date = CalendarDate(daysSince1970: days + Self.epoch) else {
      throw cell.failure("is outside the years 1 to 9999")
    }
    self = date
  }
}
