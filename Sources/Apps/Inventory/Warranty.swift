package import Domain

/// How long a thing is in warranty, reckoned in calendar months as people do.
package struct Warranty: Sendable, Hashable {
  /// What is left of a warranty on a day.
  package enum Status: String, Sendable, Codable, CaseIterable {
    /// There is none.
    case none
    /// More than ``noticeDays`` days are left.
    case active
    /// It ends within ``noticeDays`` days, or today.
    case expiring
    /// Its last day has passed.
    case expired
  }

  /// How many days before the last one people are told.
  package static let noticeDays = 30

  /// The day from which it runs.
  package let purchased: LocalDate
  /// How many months it lasts; 0: there is none.
  package let months: Int
  /// Its last day; nil without a warranty.
  package let expires: LocalDate?

  /// - Throws: `invalid_number` for months that are not 0 to 1,200, `invalid_date` for a last day after the year
  ///   9999.
  package init(purchased: LocalDate, months: Int) throws(DomainError) {
    guard (0...1200).contains(months) else {
      throw DomainError(.invalidNumber, "a warranty lasts 0 to 1200 months, not \(months)")
    }
    self.purchased = purchased
    self.months = months
    expires = months == 0 ? nil : try purchased.adding(months: months)
  }

  /// How many days there are until the last one: 0 on it, negative after it, nil without a warranty.
  package func daysRemaining(on day: LocalDate) -> Int? {
    expires.map { $0.daysSince1970 - day.daysSince1970 }
  }

  /// How it stands on a day.
  package func status(on day: LocalDate) -> Status {
    guard let days = daysRemaining(on: day) else { return .none }
    if days < 0 { return .expired }
    return days <= Self.noticeDays ? .expiring : .active
  }
}
