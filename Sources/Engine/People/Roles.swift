package import Domain
internal import Postgres
package import Store

/// The roles of a company: the built-in ones, and its own.
package struct Roles: Sendable {
  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the roles with their permissions, built-in ones first.
  package func list(_ acting: ActingContext) async throws -> [RoleRow] {
    try await administration.read(acting, permission: "role.read") { tx, _ in
      try Role.all(in: acting.company, tx)
    }
  }

  /// Returns one role's permissions with their descriptions.
  ///
  /// - Throws: `unknown_role` with the closest name.
  package func show(_ acting: ActingContext, name: String) async throws -> [PermissionCatalogue.Entry] {
    try await administration.read(acting, permission: "role.read") { tx, _ in
      let role = try Role.stored(name, in: acting.company, tx)
      return try PermissionCatalogue.stored(tx).entries.filter {
        role.permissions.granted.contains($0.permission)
      }
    }
  }

  /// Returns every permission of the engine and the installed apps.
  package func catalogue() async throws -> [PermissionCatalogue.Entry] {
    try await services.database.transaction { tx in try PermissionCatalogue.stored(tx).entries }
  }

  /// Creates a custom role or replaces its permissions; returns the role and true if it is new.
  ///
  /// The new permissions are the named ones and the grantable ones that the role `base` has now. Refused with
  /// `unknown_permission` and the closest name, `not_grantable` or `grant_exceeds_own`.
  @discardableResult
  package func define(
    _ acting: ActingContext,
    name: String,
    label: String? = nil,
    from base: String? = nil,
    permissions: [String]
  ) async throws -> (role: Role, isNew: Bool) {
    let display = try label.map { try DisplayName(parsing: $0) }
    return try await administration.administer(acting, permission: nil) { tx, rights in
      let existing = try RoleStore.all(company: acting.company.id, tx).first { $0.name == name }
      try rights.require(existing == nil ? "role.create" : "role.update", for: .write)
      let catalogue = try PermissionCatalogue.stored(tx)
      var named = Set(try permissions.map { try catalogue.permission(named: $0) })
      if let base {
        // Skips permissions that cannot be granted, so that a role can be derived from admin.
        named.formUnion(
          try Role.stored(base, in: acting.company, tx).permissions.granted.filter(
            catalogue.grantable.contains
          )
        )
      }
      let wanted = PermissionSet(named.filter { !$0.isOwn || !named.contains($0.wider) })
      let role = try Role.composing(name, of: wanted, by: rights.authority(over: wanted), from: catalogue)
      let names = role.permissions.granted.sorted().map(\.name)
      if let existing {
        // Requires the role's current permissions: an actor with fewer must not change the members who hold
        // it (R2).
        try rights.mayGrant(try PermissionSets.of(existing.permissions))
        try RoleStore.setPermissions(names, company: acting.company.id, role: name, tx)
        if let display { try Self.setLabel(display, of: name, in: acting.company, tx) }
      } else {
        try RoleStore.insert(
          company: acting.company.id,
          name: name,
          label: display?.text ?? name,
          permissions: names,
          tx
        )
      }
      let action = existing == nil ? "role.created" : "role.changed"
      let before = existing?.permissions ?? []
      let detail: JSONObject = [
        "added": .strings(names.filter { !before.contains($0) }),
        "removed": .strings(before.filter { !names.contains($0) }),
      ]
      let entry = AuditEntry(action: action, subjectType: "role", subjectID: name, detail: JSON(detail))
      return ((role, existing == nil), [entry])
    }
  }

  /// Deletes a custom role that was never assigned.
  package func delete(_ acting: ActingContext, name: String) async throws {
    try await administration.administer(acting, permission: "role.delete") { tx, _ in
      let role = try Role.stored(name, in: acting.company, tx)
      guard role.isCustom else { throw DomainError(.forbidden, "\(name) is a built-in role and stays") }
      guard try !RoleStore.isReferred(company: acting.company.id, role: name, tx) else {
        throw DomainError(
          .stillReferenced,
          "members or invites, past ones included, refer to \(name)",
          hint: "a role that was in use stays; `fettle role define` can take its permissions away"
        )
      }
      try RoleStore.delete(company: acting.company.id, role: name, tx)
      return ((), [AuditEntry(action: "role.deleted", subjectType: "role", subjectID: name)])
    }
  }

  private static func setLabel(
    _ label: DisplayName,
    of role: String,
    in company: CompanyRow,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      update core.role set label = \(label.text), updated_at = now()
      where company_id = \(company.id) and name = \(role)
      """
    )
  }
}
