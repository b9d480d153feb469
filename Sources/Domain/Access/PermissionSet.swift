/// A set of permissions, in which each permission includes its `.own` form.
package struct PermissionSet: Sendable, Hashable {
  /// The permissions as granted.
  package private(set) var granted: Set<Permission>

  /// The empty set.
  package static let none = PermissionSet([])

  /// Creates a set of these permissions and the ones they include.
  package init(_ granted: some Sequence<Permission>) { self.granted = Set(granted) }

  /// True if the permission is held, directly or through the wider one.
  package func contains(_ permission: Permission) -> Bool {
    granted.contains(permission) || permission.isOwn && granted.contains(permission.wider)
  }

  /// True if the other set holds every permission of this one.
  package func isSubset(of other: PermissionSet) -> Bool { granted.allSatisfy(other.contains) }

  /// Returns the permissions held here but not in the other set, for an error message.
  package func subtracting(_ other: PermissionSet) -> [Permission] {
    granted.filter { !other.contains($0) }.sorted()
  }

  /// Returns the intersection: `update` and `update.own` have `update.own` in common.
  package func intersection(_ other: PermissionSet) -> PermissionSet {
    PermissionSet(granted.filter(other.contains) + other.granted.filter(contains))
  }

  /// Returns the permissions of the engine and of these apps; nil for all apps.
  package func limited(to apps: [String]?) -> PermissionSet {
    guard let apps else { return self }
    return PermissionSet(granted.filter { $0.app.map(apps.contains) ?? true })
  }

  /// Returns the union.
  package func union(_ other: PermissionSet) -> PermissionSet { PermissionSet(granted.union(other.granted)) }

  /// Returns the reach of a permission: all records, own records, or none.
  package func reach(of permission: Permission) -> Reach {
    if granted.contains(permission) && !permission.isOwn || granted.contains(permission.wider) { return .all }
    return granted.contains(permission.own) ? .own : .none
  }

  /// The reach of a permission.
  package enum Reach: String, Sendable, Codable {
    /// Not held.
    case none
    /// Own records only.
    case own
    /// All records of the company.
    case all
  }
}

extension PermissionSet: ExpressibleByArrayLiteral, Codable {
  /// Lists what is granted.
  package init(arrayLiteral elements: Permission...) { self.init(elements) }

  /// Decodes an array of names.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Permission].self))
  }

  /// Encodes the names, sorted.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(granted.sorted())
  }
}
