/// The roles that exist in every company. Apps grant each role permissions on their records.
package enum BuiltInRole: String, Sendable, Codable, CaseIterable {
  /// Has every permission, also to transfer the company.
  case owner
  /// Has every permission of the engine except `company.transfer`, and those that apps grant.
  case admin
  /// Works with records, and manages own API tokens.
  case user
  /// Reads company, members, roles, workflows and reports.
  case viewer
  /// Reads company, workflows and reports of a demo company.
  case guest
  /// A program with a token, whose scopes restrict the role's permissions.
  case service
}
