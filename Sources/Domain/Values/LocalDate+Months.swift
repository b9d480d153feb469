extension LocalDate {
  /// The same day of the month so many months later; the last day of a month that is too short for it.
  ///
  /// The same as `date + make_interval(months => …)` in PostgreSQL: 31 January plus one month is the end of February.
  package func adding(months: Int) throws(DomainError) -> LocalDate {
    let sum = year * 12 + (month - 1) + months
    let (year, index) = (sum / 12, sum % 12)
    guard (1...9999).contains(year) else {
      throw DomainError(.invalidDate, "\(months) months after \(self) is beyond the calendar")
    }
    for day in stride(from: self.day, to: 28, by: -1) {
      // Not every month has the 29th, 30th and 31st: the next shorter one is tried.
      if let date = try? LocalDate(year: year, month: index + 1, day: day) { return date }
    }
    return try LocalDate(year: year, month: index + 1, day: min(self.day, 28))
  }
}
