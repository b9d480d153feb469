/// A set of permissions, in which each permission includes its `.own` form.
package struct PermissionSet: Sendable, Hashable {
  /// The permissions as granted.
  package private(set) var granted: Set<Permission>

  /// The empty set.
  package static let none = PermissionSet([])

  /// Creates a set that holds these permissions and their `.own` forms.
  package init(_ granted: some Sequence<Permission>) { self.granted = Set(granted) }

  /// True if the set holds the permission, directly or through the form without `.own`.
  package func contains(_ permission: Permission) -> Bool {
    granted.contains(permission) || permission.isOwn && granted.contains(permission.wider)
  }

  /// True if the other set holds every permission of this one.
  package func isSubset(of other: PermissionSet) -> Bool { granted.allSatisfy(other.contains) }

  /// Returns the permissions of this set that the other set does not hold, sorted by name.
  package func subtracting(_ other: PermissionSet) -> [Permission] {
    granted.filter { !other.contains($0) }.sorted()
  }

  /// Returns the permissions that both sets hold: `update` and `update.own` have `update.own` in common.
  package func intersection(_ other: PermissionSet) -> PermissionSet {
    // Few scopes of a token meet the many permissions of a role, so the smaller set is gone through.
    guard granted.count <= other.granted.count else { return other.intersection(self) }
    var common: Set<Permission> = []
    for permission in granted {
      if other.contains(permission) { common.insert(permission) }
      if !permission.isOwn, other.granted.contains(permission.own) { common.insert(permission.own) }
    }
    return PermissionSet(common)
  }

  /// Returns the permissions of the engine and of the given apps; all of them if `apps` is nil.
  package func limited(to apps: [String]?) -> PermissionSet {
    guard let apps else { return self }
    return PermissionSet(granted.filter { $0.app.map(apps.contains) ?? true })
  }

  /// Returns the permissions that either set holds.
  package func union(_ other: PermissionSet) -> PermissionSet { PermissionSet(granted.union(other.granted)) }

  /// Returns the reach of a permission: all records, own records, or none.
  package func reach(of permission: Permission) -> Reach {
    if granted.contains(permission) && !permission.isOwn || granted.contains(permission.wider) { return .all }
    return granted.contains(permission.own) ? .own : .none
  }

  /// The records to which a permission applies.
  package enum Reach: String, Sendable, Codable {
    /// No records: the permission is not held.
    case none
    /// Own records only.
    case own
    /// All records of the company.
    case all
  }
}

extension PermissionSet: ExpressibleByArrayLiteral, Codable {
  /// Creates a set from a literal list of permissions.
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
