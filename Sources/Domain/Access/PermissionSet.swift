/// Rights held together; whoever holds a permission holds its `.own` form too.
package struct PermissionSet: Sendable, Hashable {
  /// What was granted, as it was granted.
  package private(set) var granted: Set<Permission>

  /// Holds nothing: what everybody has who was granted nothing.
  package static let none = PermissionSet([])

  /// Holds these and what they cover.
  package init(_ granted: some Sequence<Permission>) { self.granted = Set(granted) }

  /// Whether the permission is held, directly or covered by the wider one.
  package func contains(_ permission: Permission) -> Bool {
    granted.contains(permission) || permission.isOwn && granted.contains(permission.wider)
  }

  /// Whether everything that is held here is held there too.
  package func isSubset(of other: PermissionSet) -> Bool { granted.allSatisfy(other.contains) }

  /// What is held here and not there, for a message that names it.
  package func subtracting(_ other: PermissionSet) -> [Permission] {
    granted.filter { !other.contains($0) }.sorted()
  }

  /// What both hold: `update` and `update.own` have `update.own` in common.
  package func intersection(_ other: PermissionSet) -> PermissionSet {
    PermissionSet(granted.filter(other.contains) + other.granted.filter(contains))
  }

  /// The permissions of the engine and of these apps; nil for every app.
  package func limited(to apps: [String]?) -> PermissionSet {
    guard let apps else { return self }
    return PermissionSet(granted.filter { $0.app.map(apps.contains) ?? true })
  }

  /// What either holds.
  package func union(_ other: PermissionSet) -> PermissionSet { PermissionSet(granted.union(other.granted)) }

  /// How far the right reaches: over everything, over one's own, or not at all.
  package func reach(of permission: Permission) -> Reach {
    if granted.contains(permission) && !permission.isOwn || granted.contains(permission.wider) { return .all }
    return granted.contains(permission.own) ? .own : .none
  }

  /// How far a right reaches.
  package enum Reach: String, Sendable, Codable {
    /// Not held.
    case none
    /// Over records of one's own.
    case own
    /// Over every record of the company.
    case all
  }
}

extension PermissionSet: ExpressibleByArrayLiteral, Codable {
  /// Lists what is granted.
  package init(arrayLiteral elements: Permission...) { self.init(elements) }

  /// Reads an array of names.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode([Permission].self))
  }

  /// Writes the names, sorted.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(granted.sorted())
  }
}
