/// A role of a company: one of the built-in ones, or one that the company composed.
package struct Role: Sendable, Hashable, Codable {
  /// The name by which members and invites refer to it.
  package let name: String
  /// What it allows.
  package let permissions: PermissionSet
  /// Whether the company composed it.
  package let isCustom: Bool

  /// A built-in role with what the installed apps let it do.
  package init(_ role: BuiltInRole, in apps: [AppManifest]) {
    name = role.rawValue
    permissions = role.permissions(in: apps)
    isCustom = false
  }

  /// A role with what was stored about it.
  package init(name: String, permissions: PermissionSet, isCustom: Bool) {
    self.name = name
    self.permissions = permissions
    self.isCustom = isCustom
  }

  /// Composes a role, checking that everything in it exists, may be granted (R5), and is held by whoever
  /// composes it (R1).
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
