/// A role of a company, built in or custom.
package struct Role: Sendable, Hashable, Codable {
  /// The name by which members and invites refer to the role.
  package let name: String
  /// The permissions.
  package let permissions: PermissionSet
  /// True if the role is custom.
  package let isCustom: Bool

  /// Creates a built-in role with its permissions in the engine and in the installed apps.
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
  ///
  /// - Throws: `invalid_name`, `unknown_permission`, `not_grantable` or `grant_exceeds_own`.
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
        hint: "use a lower-case word that is not a built-in role, such as foreman"
      )
    }
    for permission in permissions.granted.sorted() { _ = try catalogue.permission(named: permission.name) }
    let reserved = permissions.subtracting(catalogue.grantable)
    guard reserved.isEmpty else {
      let names = reserved.map(\.name)
      throw DomainError(
        .notGrantable,
        "a custom role cannot contain \(names.joined(separator: ", "))",
        details: ["permissions": .strings(names)]
      )
    }
    try AccessRules.requireGrant(permissions, by: actor)
    return Role(name: name, permissions: permissions, isCustom: true)
  }
}
