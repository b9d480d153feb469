internal import Domain
internal import Postgres

/// Writes the catalogue of permissions and the grants of the built-in roles.
enum PermissionWriter {
  /// Writes the engine's own permissions, which belong to no app: companies, members, roles, reports and
  /// others.
  static func writeEngine(_ tx: Transaction) throws {
    for entry in PermissionCatalogue.engine {
      try upsert(
        entry.permission.name,
        app: "core",
        description: entry.summary,
        grantable: entry.isGrantable,
        tx
      )
    }
    for role in BuiltInRole.allCases {
      try grant(role, role.engineGrants.granted.map(\.name), of: "core", tx)
    }
  }

  /// Writes the permissions of a type's verbs and of all transitions in all versions of its workflow, and the
  /// manifest's default grants.
  static func write(
    _ type: RecordTypeDefinition,
    workflows: [WorkflowDefinition],
    app: String,
    _ tx: Transaction
  ) throws {
    let versions: [WorkflowDefinition?] = workflows.isEmpty ? [nil] : workflows
    var seen: Set<Permission> = []
    for permission in versions.flatMap({ type.permissions(with: $0) }) where seen.insert(permission).inserted
    {
      try upsert(
        permission.name,
        app: app,
        description: describe(permission, type),
        grantable: true,
        tx
      )
    }
    for grants in type.grants {
      let granted = versions.flatMap { workflow in
        grants.rules.flatMap { $0.permissions(of: type, workflow: workflow) }
      }
      // A verb of only some workflow versions yields no permission for the others.
      let names = Set(granted.filter(seen.contains).map(\.name))
      try grant(grants.role, names.sorted(), of: type.name, tx)
    }
  }

  /// Writes the permissions for the verbs of a table without records, and the manifest's default grants.
  static func write(_ table: TableDefinition, app: String, _ tx: Transaction) throws {
    for permission in table.permissions {
      let description = "\(permission.verb) \(table.plural.lowercased())"
      try upsert(permission.name, app: app, description: description, grantable: true, tx)
    }
    for grants in table.grants {
      let names = Set(table.permissions(of: grants.role).map(\.name))
      try grant(grants.role, names.sorted(), of: table.name, tx)
    }
  }

  /// Returns the permissions of an app.
  static func names(of app: String, _ tx: Transaction) throws -> [String] {
    try tx.rows("select p.name from core.permission p where p.app = \(app) order by p.name", String.self)
  }

  /// Takes permissions from the built-in roles, and deletes those that no company's own role holds.
  ///
  /// - Returns: the permissions that are kept because a company's own role holds them.
  static func remove(_ names: [String], _ tx: Transaction) throws -> [String] {
    try tx.execute("delete from core.builtin_grant g where g.permission = any (\(names))")
    try tx.execute(TypeCatalogue.countChange)
    return try names.filter { name in
      do {
        try tx.savepoint { inner in
          try inner.execute("delete from core.permission p where p.name = \(name)")
        }
        return false
      } catch let error as PostgresError where error.sqlState == .foreignKeyViolation {
        return true  // foreign keys see rows that row-level security hides from the owner
      }
    }
  }

  private static func describe(_ permission: Permission, _ type: RecordTypeDefinition) -> String {
    let verb = permission.wider.verb.split(separator: "_").joined(separator: " ")
    return permission.isOwn
      ? "\(verb) one's own \(type.plural.lowercased())" : "\(verb) \(type.plural.lowercased())"
  }

  private static func upsert(
    _ name: String,
    app: String,
    description: String,
    grantable: Bool,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.permission (name, app, description, grantable)
      values (\(name), \(app), \(description), \(grantable))
      on conflict (name) do update
      set app = excluded.app, description = excluded.description, grantable = excluded.grantable
      """
    )
  }

  /// Replaces the permissions of one subject that a built-in role holds, because an upgrade may remove a
  /// default grant.
  private static func grant(
    _ role: BuiltInRole,
    _ permissions: [String],
    of subject: String,
    _ tx: Transaction
  ) throws {
    let isEngine = subject == "core"
    let removed = try tx.execute(
      """
      delete from core.builtin_grant g
      using core.permission p
      where p.name = g.permission
        and g.role = \(role.rawValue)
        and g.permission <> all (\(permissions))
        and case when \(isEngine) then p.app = 'core' else starts_with(g.permission, \(subject + ".")) end
      """
    )
    let added = try tx.execute(
      """
      insert into core.builtin_grant (role, permission)
      select \(role.rawValue), p from unnest(\(permissions)) p
      on conflict do nothing
      """
    )
    // Processes know the grants under this number.
    if removed + added > 0 { try tx.execute(TypeCatalogue.countChange) }
  }
}
