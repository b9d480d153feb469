/// The purpose of a company.
package enum CompanyKind: String, Sendable, Codable, CaseIterable {
  /// A firm.
  case business
  /// A household.
  case household
  /// One person, such as a visitor who has not signed in yet.
  case personal
  /// A demo to explore; the only kind with guests.
  case demo
  /// The engine's own company, which owns system jobs.
  case system
}
