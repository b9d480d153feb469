/// What a company is for.
package enum CompanyKind: String, Sendable, Codable, CaseIterable {
  /// A firm.
  case business
  /// People who live together.
  case household
  /// One person, such as a visitor who has not signed in yet.
  case personal
  /// Something to look around in; the only kind that has guests.
  case demo
  /// The engine's own, which holds jobs that belong to nobody.
  case system
}
