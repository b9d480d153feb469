package import Domain

/// The warranty period of an item: up to the day that the seller states, or computed in calendar months.
package struct Warranty: Sendable, Hashable {
  /// The status of a warranty on a day.
  package enum Status: String, Sendable, Codable, CaseIterable {
    /// No warranty.
    case none
    /// More than ``noticeDays`` days are left.
    case active
    /// The last day is today or at most ``noticeDays`` days away.
    case expiring
    /// The last day has passed.
    case expired
  }

  /// Number of days before the last day at which a warranty starts to count as expiring and its notice is
  /// sent.
  package static let noticeDays = 30

  /// The first day of the warranty.
  package let purchased: LocalDate
  /// Duration in months, 0 to 1,200; 0 for no warranty.
  package let months: Int
  /// The last day; nil without a warranty.
  package let expires: LocalDate?

  /// Creates the warranty of an item.
  ///
  /// - Parameter until: the last day as the seller states it, which counts instead of the months; nil if it is unknown.
  /// - Throws: `invalid_number` for fewer than 0 or more than 1,200 months, `invalid_date` for a last day after the year
  ///   9999 or before the purchase.
  package init(purchased: LocalDate, months: Int, until: LocalDate? = nil) throws(DomainError) {
    guard (0...1200).contains(months) else {
      throw DomainError(.invalidNumber, "a warranty lasts 0 to 1200 months, not \(months)")
    }
    self.purchased = purchased
    self.months = months
    if let until, until < purchased {
      throw DomainError(
        .invalidDate,
        "warranty_until: \(until) is before the purchase on \(purchased)",
        hint: "give the last day of the warranty",
        details: ["fields": ["warranty_until"]]
      )
    }
    let computed = months == 0 ? nil : try purchased.adding(months: months)
    expires = until ?? computed
  }

  /// Returns the number of days until the last day: 0 on that day, negative after it, nil without a warranty.
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
