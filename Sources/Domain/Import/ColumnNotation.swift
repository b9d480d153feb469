/// The notation of one column of a file.
package struct ColumnNotation: Sendable, Hashable {
  /// The sign before decimals.
  package var decimal = DecimalSign.point
  /// The only sign between thousands; nil for any.
  package var thousands: ThousandsSign?
  /// The format of dates; nil if the year is first.
  package var dates: DateFormat?

  package init() {}

  /// Returns a number in the grammar of JSON, without zeros that the column cannot keep.
  ///
  /// - Parameter decimals: the most decimals of the column; nil for no limit.
  /// - Throws: `invalid_number`, also for more decimals, which are not rounded.
  package func number(_ text: String, decimals: Int?) throws(DomainError) -> String {
    let value: String
    if decimal == .point, PlainNumber.isPlain(text) {
      value = text
    } else {
      guard let read = try WrittenNumber(parsing: text).value(decimal: decimal, thousands: thousands) else {
        throw DomainError(
          .invalidNumber,
          "\(Quoted(text)) is not a number with a decimal \(decimal.rawValue)"
        )
      }
      value = read
    }
    return try Self.fitting(value, decimals: decimals, as: text)
  }

  /// Returns a number in the grammar of JSON without the zeros that the column cannot keep.
  ///
  /// - Throws: `invalid_number` for other decimals that it cannot keep.
  package static func fitting(_ value: String, decimals: Int?, as text: String) throws(DomainError) -> String
  {
    guard let decimals else { return value }
    guard !value.utf8.contains(UInt8(ascii: "e")) else {
      throw DomainError(.invalidNumber, "\(Quoted(text)) is out of range")
    }
    guard let point = value.utf8.firstIndex(of: UInt8(ascii: ".")) else { return value }
    let fraction = value.utf8[value.utf8.index(after: point)...]
    guard fraction.count > decimals else { return value }
    guard fraction.dropFirst(decimals).allSatisfy({ $0 == UInt8(ascii: "0") }) else {
      throw DomainError(
        .invalidNumber,
        decimals == 0
          ? "\(Quoted(text)) is not a whole number"
          : "\(Quoted(text)) has more than \(decimals) decimals, and is not rounded"
      )
    }
    return String(value.dropLast(fraction.count - decimals + (decimals == 0 ? 1 : 0)))
  }

  /// Returns an instant, and true if the text has no offset: then the instant is the local time as if it were in UTC.
  /// A date alone is the beginning of its day.
  ///
  /// - Throws: `invalid_date`.
  package func instant(_ text: String) throws(DomainError) -> (instant: Instant, isLocal: Bool) {
    var invalid: DomainError {
      DomainError(
        .invalidInstant,
        "\(Quoted(text)) is not a time such as 2026-03-28T14:00:00Z or \(dates?.example ?? "2026-03-28") 14:00"
      )
    }
    guard let written = WrittenDate(parsing: text) else {
      // The grammar of PostgreSQL and RFC 3339 has forms such as fractions of a second.
      guard let instant = try? Instant(parsing: text) else { throw invalid }
      return (instant, false)
    }
    if let instant = written.instant { return (instant, false) }
    guard let day = dates.flatMap(written.date) ?? written.date(DateFormat(order: .yearFirst)) else {
      throw invalid
    }
    let midnight = Int64(day.daysSince1970) * 86_400_000_000
    return (Instant(microseconds: midnight + (written.microseconds ?? 0)), true)
  }

  /// Returns a date.
  ///
  /// - Parameter days: the local dates of instants; a missing one has its date in UTC.
  /// - Throws: `invalid_date`.
  package func date(_ text: String, days: [Instant: LocalDate]) throws(DomainError) -> LocalDate {
    if text.utf8.count == 10, let date = LocalDate(iso: text) { return date }
    guard let written = WrittenDate(parsing: text) else {
      let isSerial = Int64(asciiDigits: text.utf8) != nil
      throw DomainError(
        .invalidDate,
        "\(Quoted(text)) is not a date such as 2026-03-28"
          + (isSerial ? "; format the column as a date in the spreadsheet" : "")
      )
    }
    if let instant = written.instant {
      return days[instant]
        ?? LocalDate(daysSince1970: Int(instant.microseconds.flooredDivision(by: 86_400_000_000).quotient))
    }
    let iso = DateFormat(order: .yearFirst)
    if let date = dates.flatMap(written.date) ?? written.date(iso) { return date }
    throw DomainError(.invalidDate, "\(Quoted(text)) is not a date such as \(dates?.example ?? "2026-03-28")")
  }
}
