internal import Postgres

/// Checks that a live server still grants what `roles.sql` and the migrations granted, and nothing more.
///
/// The expected attributes and memberships are read from `roles.sql` itself, so that they are written once.
struct PrivilegeHealth: Sendable {
  private static let remedy = "as a superuser: fettle migrate --print-roles | psql"

  /// The tables about people. Most have no company.
  private static let ofPeople = [
    "core.company", "core.app_user", "core.former_name", "core.api_token", "core.invite_locator",
    "core.identity", "core.recovery_code", "core.second_factor", "core.sign_in",
  ]

  private let database: Database

  /// - Parameter database: connected as `fettle_admin`.
  init(_ database: Database) {
    self.database = database
  }

  /// Returns the findings about attributes, memberships, grants, policies and superusers.
  func run() async throws -> [HealthFinding] {
    [
      try await attributes(), try await memberships(), try await grants(), try await policies(),
      try await superusers(),
    ]
  }

  /// Roles of Fettle and reporting logins that could bypass policies, or log in although they must not.
  private func attributes() async throws -> HealthFinding {
    let expected = ExpectedRoles(Installation.roleStatements)
    let faults = try await database.rows(
      """
      select format('%s has %s', r.rolname, a.name)
      from pg_roles r
      cross join lateral (values
        ('superuser', r.rolsuper), ('createrole', r.rolcreaterole), ('createdb', r.rolcreatedb),
        ('replication', r.rolreplication),
        ('bypassrls', r.rolbypassrls and r.rolname <> all (\(expected.bypassing))),
        ('login', r.rolcanlogin and r.rolname = any (\(expected.loginless)))
      ) a (name, is_set)
      where a.is_set
        and (r.rolname = any (\(expected.names))
          or not r.rolsuper and pg_has_role(r.oid, 'fettle_report_company', 'member'))
      order by 1
      """,
      String.self
    )
    return finding("attributes", faults, ok: "no role can do more than it was created for")
  }

  /// Memberships between Fettle's roles and others that `roles.sql` does not grant.
  private func memberships() async throws -> HealthFinding {
    let expected = ExpectedRoles(Installation.roleStatements)
    let faults = try await database.rows(
      """
      select format('%s is a member of %s', m.rolname, r.rolname)
      from pg_auth_members a
      join pg_roles m on m.oid = a.member
      join pg_roles r on r.oid = a.roleid
      where not m.rolsuper
        and (r.rolname = any (\(expected.names)) or m.rolname = any (\(expected.names))
          or pg_has_role(m.oid, 'fettle_report_company', 'member'))
        and r.rolname <> 'fettle_report_company'
        and m.rolname || ' ' || r.rolname <> all (\(expected.memberships))
      order by 1
      """,
      String.self
    )
    return finding("memberships", faults, ok: "no role has the rights of another, but those that must")
  }

  /// Privileges of PUBLIC and of roles that are not Fettle's, and objects of owners that can log in.
  private func grants() async throws -> HealthFinding {
    let expected = ExpectedRoles(Installation.roleStatements)
    let faults = try await database.rows(
      """
      with own as (
        select n.oid, n.nspname, n.nspowner, n.nspacl
        from pg_namespace n
        where n.nspname in ('core', 'report', 'public')
          or exists (select from core.record_type t where t.table_schema = n.nspname)
      ),
      object as (
        select format('database %s', d.datname) as name, null::oid as owner,
          coalesce(d.datacl, acldefault('d', d.datdba)) as acl
        from pg_database d where d.datname = current_database()
        union all
        select format('schema %s', n.nspname), case when n.nspname <> 'public' then n.nspowner end, n.nspacl
        from own n
        union all
        select c.oid::regclass::text, c.relowner, c.relacl
        from pg_class c join own n on n.oid = c.relnamespace
        where n.nspname <> 'public' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        union all
        select format('%s.%s', a.attrelid::regclass, a.attname), null, a.attacl
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        join own n on n.oid = c.relnamespace
        where n.nspname <> 'public' and a.attacl is not null
        union all
        select p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
        from pg_proc p join own n on n.oid = p.pronamespace
        where n.nspname <> 'public'
      )
      select distinct format('%s may %s on %s', coalesce(g.rolname, 'PUBLIC'), lower(x.privilege_type), o.name)
      from object o
      cross join lateral aclexplode(o.acl) x
      left join pg_roles g on g.oid = x.grantee
      where x.grantee = 0
        or not g.rolsuper and g.rolname <> 'pg_database_owner' and g.rolname <> all (\(expected.names))
      union
      select format('%s owns %s', r.rolname, o.name)
      from object o
      join pg_roles r on r.oid = o.owner
      where r.rolcanlogin
      order by 1
      """,
      String.self
    )
    return finding(
      "grants",
      faults,
      ok: "PUBLIC and other roles have no rights",
      remedy: "revoke them in psql"
    )
  }

  /// Tables of people without forced row-level security, and policies that apply to everyone.
  private func policies() async throws -> HealthFinding {
    let faults = try await database.rows(
      """
      select format('row-level security is not forced on %s', c.oid::regclass)
      from pg_class c
      where c.oid::regclass::text = any (\(Self.ofPeople))
        and not (c.relrowsecurity and c.relforcerowsecurity)
      union all
      select format('policy %s of %s applies to PUBLIC', p.polname, p.polrelid::regclass)
      from pg_policy p
      join pg_class c on c.oid = p.polrelid
      join pg_namespace n on n.oid = c.relnamespace
      where 0 = any (p.polroles)
        and (n.nspname = 'core' or exists (select from core.record_type t where t.table_schema = n.nspname))
      order by 1
      """,
      String.self
    )
    return finding(
      "policies",
      faults,
      ok: "people are protected as rows of companies are",
      remedy: "undo the change in psql, or restore a backup"
    )
  }

  /// Sessions that see all rows of all companies.
  private func superusers() async throws -> HealthFinding {
    let logins = try await database.rows(
      """
      select format('%s (%s)', r.rolname, string_agg(distinct coalesce(nullif(a.application_name, ''), '?'), ', '))
      from pg_stat_activity a
      join pg_roles r on r.oid = a.usesysid
      where a.datname = current_database()
        and (r.rolsuper or r.rolbypassrls)
      group by r.rolname
      order by 1
      """,
      String.self
    )
    return logins.isEmpty
      ? HealthFinding("superusers", .ok, "none is connected")
      : HealthFinding(
        "superusers",
        .warning,
        "connected: \(logins.joined(separator: ", "))",
        remedy: "use the logins of `fettle migrate --print-roles`: none sees all rows"
      )
  }

  private func finding(
    _ check: String,
    _ faults: [String],
    ok: String,
    remedy: String = Self.remedy
  ) -> HealthFinding {
    guard !faults.isEmpty else { return HealthFinding(check, .ok, ok) }
    let shown = faults.prefix(5).joined(separator: "; ")
    let more = faults.count > 5 ? "; \(faults.count - 5) more" : ""
    return HealthFinding(check, .failed, shown + more, remedy: remedy)
  }
}
