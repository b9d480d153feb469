internal import Domain
package import FoundationEssentials
package import Postgres

/// A role of a company with its permissions.
package struct RoleRow: RowDecodable, Sendable {
  package let name: String
  package let label: String
  package let isBuiltIn: Bool
  package let permissions: [String]
  package let members: Int

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    label = try row.next()
    isBuiltIn = try row.next()
    let all: [String] = try row.next()
    members = try row.next()
    let apps: [String]? = try row.next()
    permissions = all.filter { name in
      guard let apps, let app = (try? Permission(parsing: name))?.app else { return true }
      return apps.contains(app)
    }
  }
}

/// Roles. The permissions of built-in roles are in the catalogue; those of a company's own roles are in rows
/// of the company.
package enum RoleStore {
  /// Returns the roles of a company, built-in ones first, without the permissions of apps that it does not
  /// use.
  package static func all(company: UUID, _ tx: Transaction) throws -> [RoleRow] {
    try tx.rows(
      """
      select r.name, r.label, r.built_in,
        array(
          select g.permission from core.builtin_grant g
          where r.built_in and g.role = r.name
          union
          select g.permission from core.role_permission g
          where g.company_id = r.company_id and g.role = r.name
          order by 1
        ),
        (select count(*) from core.membership m
         where m.company_id = r.company_id and m.role = r.name and m.status = 'active'),
        \(CompanyStore.enabledApps)
      from core.role r
      join core.company c on c.id = r.company_id
      left join core.builtin_role b on r.built_in and b.name = r.name
      where r.company_id = \(company)
      order by r.built_in desc, b.rank nulls last, r.name
      """,
      as: RoleRow.self
    )
  }

  /// Replaces the permissions of a role of the company's own.
  package static func setPermissions(
    _ permissions: [String],
    company: UUID,
    role: String,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      delete from core.role_permission
      where company_id = \(company) and role = \(role) and permission <> all (\(permissions))
      """
    )
    try tx.execute(
      """
      insert into core.role_permission (company_id, role, permission)
      select \(company), \(role), p from unnest(\(permissions)) p
      on conflict do nothing
      """
    )
    try tx.execute(
      "update core.role set updated_at = now() where company_id = \(company) and name = \(role)"
    )
  }
}
