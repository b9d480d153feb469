internal import Domain
package import Postgres

/// The result of one check, with a remedy if it failed.
package struct HealthFinding: Sendable {
  /// The severity.
  package enum State: String, Sendable {
    case ok, warning, failed
  }

  package let check: String
  package let state: State
  package let finding: String
  /// The remedy; nil if the check passed.
  package let remedy: String?

  package init(_ check: String, _ state: State, _ finding: String, remedy: String? = nil) {
    self.check = check
    self.state = state
    self.finding = finding
    self.remedy = remedy
  }
}

/// The checks of `fettle doctor` on a database.
package struct HealthCheck: Sendable {
  private let database: Database

  /// - Parameter database: connected as `fettle_admin`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Returns the findings, the most fundamental first. Checks that depend on a failed one are left out.
  package func run() async throws -> [HealthFinding] {
    var findings = [try await version(), try await login(), try await roles()]
    guard findings.last?.state == .ok else { return findings }
    findings.append(try await schema())
    guard findings.last?.state != .failed else { return findings }
    findings.append(try await isolation())
    findings += try await RoleHealth(database).run()
    findings += try await PrivilegeHealth(database).run()
    findings.append(try await durability())
    findings.append(try await ZoneHealth(database).finding())
    return findings + (try await QueueHealth(database).run())
  }

  private func version() async throws -> HealthFinding {
    let (number, text) =
      try await database.first(
        "select current_setting('server_version_num')::int, current_setting('server_version')",
        Int.self,
        String.self
      ) ?? (0, "")
    return number >= 150_000
      ? HealthFinding("version", .ok, "PostgreSQL \(text)")
      : HealthFinding("version", .failed, "PostgreSQL \(text)", remedy: "upgrade to PostgreSQL 15 or later")
  }

  private func login() async throws -> HealthFinding {
    guard let power = try await database.statements(LoginPower.read) else {
      return HealthFinding("login", .ok, "row-level security binds it")
    }
    return HealthFinding(
      "login",
      .warning,
      "\(power.words): other commands refuse it",
      remedy: "connect as fettle_admin"
    )
  }

  private func roles() async throws -> HealthFinding {
    let wanted = [
      "fettle_owner", "fettle_migrator", "fettle_admin", "fettle_app", "fettle_worker", "fettle_auth",
      "fettle_report", "fettle_report_company", "fettle_author", "fettle_eraser", "fettle_installer",
      "fettle_backup",
    ]
    let missing = try await database.rows(
      """
      select w.name from unnest(\(wanted)) w (name)
      where not exists (select from pg_roles r where r.rolname = w.name)
      """,
      String.self
    )
    guard missing.isEmpty else {
      return HealthFinding(
        "roles",
        .failed,
        "missing: \(missing.joined(separator: ", "))",
        remedy: "as a superuser: fettle migrate --print-roles | psql"
      )
    }
    let strong = try await database.rows(
      """
      select r.rolname::text from pg_roles r
      where r.rolname = any (\(["fettle_app", "fettle_worker", "fettle_admin", "fettle_report"]))
        and (r.rolsuper or r.rolbypassrls)
      """,
      String.self
    )
    return strong.isEmpty
      ? HealthFinding("roles", .ok, "all present, none can bypass row-level security")
      : HealthFinding(
        "roles",
        .failed,
        "\(strong.joined(separator: ", ")) can bypass row-level security",
        remedy: "as a superuser: fettle migrate --print-roles | psql"
      )
  }

  private func schema() async throws -> HealthFinding {
    let pending: [SchemaPlan]
    do {
      pending = try await Installation.plan(database)
    } catch let error as DomainError {
      return HealthFinding("schema", .failed, error.message, remedy: error.hint)
    }
    guard pending.isEmpty else {
      return HealthFinding(
        "schema",
        .failed,
        "not up to date: \(pending.map(\.app).joined(separator: ", "))",
        remedy: "fettle migrate"
      )
    }
    return try await Installation.isCurrent(database)
      ? HealthFinding("schema", .ok, "up to date")
      : HealthFinding(
        "schema",
        .warning,
        "an app's manifest is older than this program's",
        remedy: "fettle migrate"
      )
  }

  private func isolation() async throws -> HealthFinding {
    let open = try await database.rows(
      """
      select c.oid::regclass::text
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p')
        and (n.nspname = 'core' or exists (select from core.record_type t where t.table_schema = n.nspname))
        and not (c.relrowsecurity and c.relforcerowsecurity)
      order by 1
      """,
      String.self
    )
    return open.isEmpty
      ? HealthFinding("isolation", .ok, "row-level security is forced on every table of a company")
      : HealthFinding(
        "isolation",
        .failed,
        "not isolated: \(open.joined(separator: ", "))",
        remedy: "install the app again with `fettle migrate`"
      )
  }

  private func durability() async throws -> HealthFinding {
    let (sync, commit) =
      try await database.first(
        "select current_setting('fsync'), current_setting('synchronous_commit')",
        String.self,
        String.self
      ) ?? ("", "")
    return sync == "on" && commit != "off"
      ? HealthFinding("durability", .ok, "fsync \(sync), synchronous_commit \(commit)")
      : HealthFinding(
        "durability",
        .warning,
        "fsync \(sync), synchronous_commit \(commit): a power failure can lose committed changes",
        remedy: "set both to on in postgresql.conf"
      )
  }
}
