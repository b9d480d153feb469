/// The roles that every company has.
package enum BuiltInRole: String, Sendable, Codable, CaseIterable {
  /// May do everything, handing the company over included.
  case owner
  /// May do everything but hand the company over or erase it.
  case admin
  /// Works with records.
  case user
  /// Looks.
  case viewer
  /// Looks around in a demo company.
  case guest
  /// A program; it holds at most what its token's scopes say.
  case service
}
