/// The purpose of a company.
package enum CompanyKind: String, Sendable, Codable, CaseIterable {
  /// A business.
  case business
  /// A household.
  case household
  /// A single person, such as a visitor without an account.
  case personal
  /// A demo company; the only kind with the role `guest`.
  case demo
  /// The engine's own company, which owns system jobs.
  case system
}
