internal import Domain
internal import Postgres

/// The checks of `fettle doctor` on the rights of the database roles.
struct RoleHealth {
  private let database: Database

  /// The remedy for rights and settings that `roles.sql` restores.
  private static let restore = "as a superuser, in this database: fettle migrate --print-roles | psql"

  /// - Parameter database: connected as `fettle_admin`.
  init(_ database: Database) {
    self.database = database
  }

  func run() async throws -> [HealthFinding] {
    [try await rights(), try await builtins(), try await reporting(), try await databases()]
  }

  /// Finds roles that can become the owner, and functions of the engine that everyone may call.
  private func rights() async throws -> HealthFinding {
    let stray = try await database.rows(
      """
      select format('%s can become %s', r.rolname, o.rolname)
      from pg_roles r
      cross join pg_roles o
      where o.rolname in ('fettle_owner', 'fettle_auth', 'fettle_eraser')
        and r.oid <> o.oid
        and not r.rolsuper
        and r.rolname not in ('fettle_owner', 'fettle_migrator', 'fettle_installer')
        and pg_has_role(r.oid, o.oid, 'member')
      union all
      select format('everyone may call %s', p.oid::regprocedure)
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where n.nspowner = 'fettle_owner'::regrole
        and a.grantee = 0
      order by 1
      """,
      String.self
    )
    return stray.isEmpty
      ? HealthFinding("rights", .ok, "of the logins, only fettle_migrator can become the owner")
      : HealthFinding(
        "rights",
        .failed,
        stray.joined(separator: ", "),
        remedy: "revoke the membership or the right as a superuser"
      )
  }

  /// Finds built-in functions with side effects that a reporting login may call.
  private func builtins() async throws -> HealthFinding {
    let open = try await database.rows(
      """
      select distinct b.name
      from pg_roles r
      cross join lateral core.open_builtins(r.rolname) b (name)
      where not r.rolsuper
        and (r.rolname = 'fettle_report' or pg_has_role(r.oid, 'fettle_report_company', 'member'))
      order by 1
      """,
      String.self
    )
    return open.isEmpty
      ? HealthFinding("builtins", .ok, "reporting logins can call no function that locks, notifies or writes")
      : HealthFinding(
        "builtins",
        .failed,
        "reporting logins may call \(open.prefix(3).joined(separator: ", "))"
          + (open.count > 3 ? " and \(open.count - 3) more" : ""),
        remedy: Self.restore
      )
  }

  /// Finds reporting logins without a connection limit or with other settings than `roles.sql` gives them. A
  /// login can change its own settings with `alter role`.
  private func reporting() async throws -> HealthFinding {
    let loose = try await database.rows(
      """
      with login as (
        select r.oid, r.rolname, r.rolconnlimit
        from pg_roles r
        where r.rolname = 'fettle_report'
          or r.rolcanlogin and not r.rolsuper and pg_has_role(r.oid, 'fettle_report_company', 'member')
      ),
      wanted (setting) as (
        values
          ('default_transaction_read_only=on'), ('statement_timeout=30s'), ('lock_timeout=2s'),
          ('idle_in_transaction_session_timeout=60s'), ('idle_session_timeout=1h'),
          ('max_parallel_workers_per_gather=0'), ('work_mem=32MB'), ('temp_file_limit=256MB'),
          ('log_min_messages=fatal'), ('log_min_error_statement=panic'), ('log_min_duration_statement=-1'),
          ('log_statement=none')
      )
      select format('%s has no connection limit', l.rolname)
      from login l
      where l.rolconnlimit < 0
      union all
      select format('%s lacks %s', l.rolname, w.setting)
      from login l
      cross join wanted w
      where not exists (
        select from pg_db_role_setting s
        where s.setrole = l.oid and s.setdatabase = 0 and w.setting = any (s.setconfig)
      )
      union all
      select format('%s has set %s', l.rolname, c.setting)
      from login l
      join pg_db_role_setting s on s.setrole = l.oid
      cross join lateral unnest(s.setconfig) c (setting)
      where c.setting not in (select w.setting from wanted w)
        and c.setting <> 'search_path=report'
      order by 1
      """,
      String.self
    )
    return loose.isEmpty
      ? HealthFinding("reporting", .ok, "every reporting login has its connection limit and settings")
      : HealthFinding("reporting", .warning, loose.joined(separator: "; "), remedy: Self.restore)
  }

  /// Finds other databases of the server that the roles can connect to, and reporting logins that together
  /// could take all connections.
  private func databases() async throws -> HealthFinding {
    let open = try await database.rows(
      """
      select d.datname::text
      from pg_database d
      where d.datallowconn
        and d.datname <> current_database()
        and exists (
          select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
          where a.grantee = 0 and a.privilege_type = 'CONNECT'
        )
      order by 1
      """,
      String.self
    )
    guard open.isEmpty else {
      return HealthFinding(
        "databases",
        .warning,
        "every role can connect to \(open.joined(separator: ", "))",
        remedy: "as a superuser: revoke connect on database … from public, or refuse the roles in pg_hba.conf"
      )
    }
    let (reporting, all) =
      try await database.first(
        """
        select coalesce(sum(r.rolconnlimit), 0),
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        from pg_roles r
        where r.rolname = 'fettle_report'
          or r.rolcanlogin and not r.rolsuper and pg_has_role(r.oid, 'fettle_report_company', 'member')
        """,
        Int.self,
        Int.self
      ) ?? (0, 0)
    return reporting * 2 <= all
      ? HealthFinding("databases", .ok, "the others are closed, and reports leave connections for the engine")
      : HealthFinding(
        "databases",
        .warning,
        "reporting logins may take \(reporting) of \(all) connections",
        remedy: "lower their connection limits, or raise max_connections in postgresql.conf"
      )
  }
}
