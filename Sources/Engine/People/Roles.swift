package import Domain
internal import Postgres
package import Store

/// The use cases of a company's roles: built-in roles and custom ones.
package struct Roles: Sendable {
  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the roles with their permissions, built-in ones first. Requires `role.read`.
  package func list(_ acting: ActingContext) async throws -> [RoleRow] {
    try await administration.read(acting, permission: "role.read") { tx, _ in
      try Role.all(in: acting.company, tx)
    }
  }

  /// Returns one role. Requires `role.read`.
  ///
  /// - Throws: `unknown_role` with the closest name as a hint.
  package func find(_ acting: ActingContext, name: String) async throws -> RoleRow {
    try await administration.read(acting, permission: "role.read") { tx, _ in
      _ = try Role.stored(name, in: acting.company, tx)
      guard let row = try Role.all(in: acting.company, tx).first(where: { $0.name == name }) else {
        throw DomainError(.unknownRole)
      }
      return row
    }
  }

  /// Returns the permissions of one role with their descriptions. Requires `role.read`.
  ///
  /// - Throws: `unknown_role` with the closest name as a hint.
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

  /// Returns every permission of the engine and the installed apps. Requires `role.read`.
  package func catalogue(_ acting: ActingContext) async throws -> [PermissionCatalogue.Entry] {
    try await administration.read(acting, permission: "role.read") { tx, _ in
      try PermissionCatalogue.stored(tx).entries
    }
  }

  /// Creates a custom role or replaces its permissions. Requires `role.create` or `role.update`.
  ///
  /// - Parameters:
  ///   - label: the display name; nil keeps the current one, or uses `name` for a new role.
  ///   - base: a role whose grantable permissions are added; nil for none.
  ///   - permissions: the names of further permissions.
  /// - Returns: the role, and true if it is new.
  /// - Throws: `unknown_permission` with the closest name as a hint, `not_grantable`, `grant_exceeds_own`,
  ///   `unknown_role` for `base`.
  @discardableResult
  package func define(
    _ acting: ActingContext,
    name: String,
    label: String? = nil,
    from base: String? = nil,
    permissions: [String]
  ) async throws -> (role: Role, isNew: Bool) {
    let defined = try await define(acting, name, label, base, permissions, isNew: nil)
    return (role: defined.role, isNew: defined.isNew)
  }

  /// Creates a custom role. Requires `role.create`.
  ///
  /// - Throws: `already_exists`, and as ``define(_:name:label:from:permissions:)``.
  package func create(
    _ acting: ActingContext,
    name: String,
    label: String?,
    from base: String?,
    permissions: [String]
  ) async throws -> RoleRow {
    try await define(acting, name, label, base, permissions, isNew: true).row
  }

  /// Replaces the permissions of an existing custom role. Requires `role.update`.
  ///
  /// - Throws: `unknown_role`, and as ``define(_:name:label:from:permissions:)``.
  package func replace(
    _ acting: ActingContext,
    name: String,
    label: String?,
    from base: String?,
    permissions: [String]
  ) async throws -> RoleRow {
    try await define(acting, name, label, base, permissions, isNew: false).row
  }

  private func define(
    _ acting: ActingContext,
    _ name: String,
    _ label: String?,
    _ base: String?,
    _ permissions: [String],
    isNew: Bool?
  ) async throws -> (role: Role, isNew: Bool, row: RoleRow) {
    let display = try label.map { try DisplayName(parsing: $0) }
    return try await administration.administer(acting, permission: nil) { tx, rights in
      let existing = try RoleStore.all(company: acting.company.id, tx).first { $0.name == name }
      let isCreation = isNew ?? (existing == nil)
      try rights.require(isCreation ? "role.create" : "role.update", for: .write)
      if isNew == true, existing != nil {
        throw DomainError(.alreadyExists, "there is a role \(name) already")
      }
      if isNew == false, existing == nil { _ = try Role.stored(name, in: acting.company, tx) }
      let catalogue = try PermissionCatalogue.stored(tx)
      var named = Set(try permissions.map { try catalogue.permission(named: $0) })
      if let base {
        // Permissions that cannot be granted are left out, so that a role can be derived from `admin`.
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
        // The actor must hold the role's current permissions too. Otherwise they could change members who
        // hold more (rule R2).
        try rights.mayGrant(try PermissionSets.of(existing.permissions))
        try RoleStore.setPermissions(names, company: acting.company.id, role: name, tx)
        if let display { try Self.setLabel(display, of: name, in: acting.company, tx) }
      } else {
        try tx.execute(
          """
          insert into core.role (company_id, name, label, built_in)
          values (\(acting.company.id), \(name), \(display?.text ?? name), false)
          """
        )
        try RoleStore.setPermissions(names, company: acting.company.id, role: name, tx)
      }
      let action = existing == nil ? "role.created" : "role.changed"
      let before = existing?.permissions ?? []
      let detail: JSONObject = [
        "added": .strings(names.filter { !before.contains($0) }),
        "removed": .strings(before.filter { !names.contains($0) }),
      ]
      let entry = AuditEntry(action: action, subjectType: "role", subjectID: name, detail: JSON(detail))
      guard let row = try Role.all(in: acting.company, tx).first(where: { $0.name == name }) else {
        throw DomainError(.internal)
      }
      return ((role: role, isNew: existing == nil, row: row), [entry])
    }
  }

  /// Deletes a custom role to which no member or invite ever referred. Requires `role.delete`.
  ///
  /// - Throws: `unknown_role`, `forbidden` for a built-in role, `still_referenced`.
  package func delete(_ acting: ActingContext, name: String) async throws {
    try await administration.administer(acting, permission: "role.delete") { tx, _ in
      let role = try Role.stored(name, in: acting.company, tx)
      guard role.isCustom else {
        throw DomainError(
          .forbidden,
          "\(name) is a built-in role and cannot be deleted",
          hint: "delete only roles that the company has defined"
        )
      }
      let company = acting.company.id
      let isReferred = try tx.value(
        """
        select exists (select from core.membership m where m.company_id = \(company) and m.role = \(name))
          or exists (select from core.invite i where i.company_id = \(company) and i.role = \(name))
        """,
        as: Bool.self
      )
      guard !isReferred else {
        throw DomainError(
          .stillReferenced,
          "members or invites, past ones included, refer to \(name)",
          hint: "give its members another role; if past members or invites had it, it stays, and loses its "
            + "permissions with `fettle role define \(name) --permission ''`"
        )
      }
      try tx.execute("delete from core.role_permission where company_id = \(company) and role = \(name)")
      try tx.execute(
        "delete from core.role where company_id = \(company) and name = \(name) and not built_in"
      )
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
