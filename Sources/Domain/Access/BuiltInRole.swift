/// The roles that every company has.
package enum BuiltInRole: String, Sendable, Codable, CaseIterable {
  /// Has every permission, including the transfer of the company.
  case owner
  /// Has every permission except to transfer or erase the company.
  case admin
  /// Works with records.
  case user
  /// Reads only.
  case viewer
  /// Reads a demo company.
  case guest
  /// A program, limited to the scopes of its token.
  case service
}
