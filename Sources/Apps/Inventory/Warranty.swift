package import Domain

/// The warranty period of an item, computed in calendar months.
package struct Warranty: Sendable, Hashable {
  /// The status of a warranty on a day.
  package enum Status: String, Sendable, Codable, CaseIterable {
    /// No warranty.
    case none
    /// More than ``noticeDays`` days are left.
    case active
    /// It ends within ``noticeDays`` days, or today.
    case expiring
    /// Its last day has passed.
    case expired
  }

  /// Number of days before the last day on which a notice is sent.
  package static let noticeDays = 30

  /// The first day of the warranty.
  package let purchased: LocalDate
  /// Duration in months; 0 for no warranty.
  package let months: Int
  /// The last day; nil without a warranty.
  package let expires: LocalDate?

  /// - Throws: `invalid_number` for months that are not 0 to 1,200, `invalid_date` for a last day after the
  ///   year 9999.
  package init(purchased: LocalDate, months: Int) throws(DomainError) {
    guard (0...1200).contains(months) else {
      throw DomainError(.invalidNumber, "a warranty lasts 0 to 1200 months, not \(months)")
    }
    self.purchased = purchased
    self.months = months
    expires = months == 0 ? nil : try purchased.adding(months: months)
  }

  /// Number of days until the last day: 0 on it, negative after it, nil without a warranty.
  package func daysRemaining(on day: LocalDate) -> Int? {
    expires.map { $0.daysSince1970 - day.daysSince1970 }
  }

  /// Returns the status on a day.
  package func status(on day: LocalDate) -> Status {
    guard let days = daysRemaining(on: day) else { return .none }
    if days < 0 { return .expired }
    return days <= Self.noticeDays ? .expiring : .active
  }
}
