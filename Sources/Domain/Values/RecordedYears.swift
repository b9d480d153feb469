/// The valid years of dates in records, 1900 to 2200.
///
/// Another year is assumed to be a typing error, such as 0206-07-01 or 20206-07-01. PostgreSQL would accept
/// both.
package enum RecordedYears {
  /// The first to the last valid year.
  package static let range = 1900...2200

  /// Requires that a date is in these years.
  ///
  /// - Throws: `invalid_date`.
  package static func require(_ date: LocalDate) throws(DomainError) {
    guard range.contains(date.year) else { throw refusal(.invalidDate, date.description, year: date.year) }
  }

  /// Requires that an instant is in these years in UTC.
  ///
  /// - Throws: `invalid_instant`.
  package static func require(_ moment: Instant) throws(DomainError) {
    let (days, _) = moment.microseconds.flooredDivision(by: 86_400_000_000)
    let year = LocalDate(daysSince1970: Int(days)).year
    guard range.contains(year) else { throw refusal(.invalidInstant, moment.rfc3339, year: year) }
  }

  private static func refusal(_ code: ErrorCode, _ text: String, year: Int) -> DomainError {
    DomainError(
      code,
      "\(Quoted(text)) is outside the years \(range.lowerBound) to \(range.upperBound)",
      hint: "check the year",
      details: ["year": .integer(year)]
    )
  }
}
