extension LocalDate {
  /// Returns the same day of the month a number of months later, or the last day of a shorter month.
  ///
  /// Equals `date + make_interval(months => …)` in PostgreSQL: 31 January plus one month is the end of
  /// February.
  package func adding(months: Int) throws(DomainError) -> LocalDate {
    let sum = year * 12 + (month - 1) + months
    let (year, index) = (sum / 12, sum % 12)
    guard (1...9999).contains(year) else {
      throw DomainError(.invalidDate, "\(months) months after \(self) is beyond the calendar")
    }
    for day in stride(from: self.day, to: 28, by: -1) {
      // Months without a 29th, 30th or 31st: tries the next earlier day.
      if let date = try? LocalDate(year: year, month: index + 1, day: day) { return date }
    }
    return try LocalDate(year: year, month: index + 1, day: min(self.day, 28))
  }
}
