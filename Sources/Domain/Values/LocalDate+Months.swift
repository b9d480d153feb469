extension LocalDate {
  /// Returns the date a number of months later: the same day, or the last day of a shorter month.
  ///
  /// Equals `date + make_interval(months => …)` in PostgreSQL: 31 January plus one month is the end of
  /// February.
  ///
  /// - Throws: `invalid_date` for a result outside the years 1 to 9999.
  package func adding(months: Int) throws(DomainError) -> LocalDate {
    let sum = year * 12 + (month - 1) + months
    for day in stride(from: self.day, to: max(self.day - 4, 0), by: -1) {
      // The month has no such day if it is too short: tries the day before.
      if let date = LocalDate(year: sum / 12, month: sum % 12 + 1, day: day) { return date }
    }
    throw DomainError(.invalidDate, "\(months) months after \(self) is outside the years 1 to 9999")
  }
}
