/// A role of a company: built in, or custom.
package struct Role: Sendable, Hashable, Codable {
  /// The name in members and invites.
  package let name: String
  /// The permissions.
  package let permissions: PermissionSet
  /// True if the role is custom.
  package let isCustom: Bool

  /// Creates a built-in role with its grants from the installed apps.
  package init(_ role: BuiltInRole, in apps: [AppManifest]) {
    name = role.rawValue
    permissions = role.permissions(in: apps)
    isCustom = false
  }

  /// Creates a role from stored values.
  package init(name: String, permissions: PermissionSet, isCustom: Bool) {
    self.name = name
    self.permissions = permissions
    self.isCustom = isCustom
  }

  /// Creates a custom role. Its permissions must exist, be grantable (R5), and be held by its creator (R1).
  package static func composing(
    _ name: String,
    of permissions: PermissionSet,
    by actor: PermissionSet,
    from catalogue: PermissionCatalogue
  ) throws(DomainError) -> Role {
    guard Identifier.isWord(name), BuiltInRole(rawValue: name) == nil else {
      throw DomainError(
        .invalidName,
        "\(Quoted(name)) cannot be the name of a role",
        hint: "Use a lower-case word that no built-in role has, such as foreman."
      )
    }
    for permission in permissions.granted.sorted() { _ = try catalogue.permission(named: permission.name) }
    let reserved = permissions.subtracting(catalogue.grantable)
    guard reserved.isEmpty else {
      let names = reserved.map(\.name)
      throw DomainError(
        .notGrantable,
        "A role of a company cannot hold \(names.joined(separator: ", "))",
        details: ["permissions": .strings(names)]
      )
    }
    try AccessRules.requireGrant(permissions, by: actor)
    return Role(name: name, permissions: permissions, isCustom: true)
  }
}
