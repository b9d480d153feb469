internal import Domain
internal import Postgres
internal import Store

extension Role {
  /// Returns the company's role with a name, as it is now.
  ///
  /// - Throws: `unknown_role` with the closest name as a hint, also for a built-in role that this kind of
  ///   company lacks.
  static func stored(_ name: String, in company: CompanyRow, _ tx: Transaction) throws -> Role {
    let roles = try all(in: company, tx)
    guard let role = roles.first(where: { $0.name == name }) else {
      throw DomainError(
        .unknownRole,
        "\(company.slug) has no role \(Quoted(name))",
        hint: name == BuiltInRole.guest.rawValue
          ? "use viewer; the role guest exists only in demo companies"
          : ActingContexts.hint(
            for: name,
            among: roles.map(\.name),
            list: "fettle role list --company \(company.slug)"
          )
      )
    }
    return Role(
      name: role.name,
      permissions: try PermissionSets.of(role.permissions),
      isCustom: !role.isBuiltIn
    )
  }

  /// Returns the roles that this kind of company has.
  static func all(in company: CompanyRow, _ tx: Transaction) throws -> [RoleRow] {
    let kind = CompanyKind(rawValue: company.kind) ?? .business
    return try RoleStore.all(company: company.id, tx).filter { role in
      BuiltInRole(rawValue: role.name)?.isAvailable(in: kind) ?? true
    }
  }
}

extension PermissionCatalogue {
  /// Returns the permissions of the engine and of the installed apps.
  static func stored(_ tx: Transaction) throws -> PermissionCatalogue {
    let rows = try tx.rows(
      "select p.name, p.description, p.grantable from core.permission p order by p.name",
      String.self,
      String.self,
      Bool.self
    )
    return PermissionCatalogue(
      entries: try rows.map { name, description, isGrantable in
        Entry(permission: try Permission(parsing: name), isGrantable: isGrantable, summary: description)
      }
    )
  }
}
