import Cluster
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// A login for the reports of one company, used against the installation.
@Suite struct ReportingLoginTests {
  @Test(arguments: [
    "select pg_advisory_lock(n) from generate_series(1, 100000) n", "select pg_try_advisory_lock(1)",
    "select pg_advisory_xact_lock_shared(1, 2)",
    "select pg_try_advisory_xact_lock(hashtextextended('lane', 7450))",
    "select lo_create(0)", "select lo_from_bytea(0, 'x')", "select pg_notify('fettle', 'stop')",
    "select pg_logical_emit_message(false, 'a', repeat('b', 1000000))", "select pg_export_snapshot()",
    "select pg_current_xact_id()", "select txid_current()", "select nextval('s')",
    "select query_to_xml('select 1', true, true, '')", "select pg_terminate_backend(1)",
    "create temporary table t (n integer)", "create table public.t (n integer)",
  ])
  func `a reporting login can lock, notify and write nothing`(_ statement: String) async throws {
    try await Self.withLogin { _, login in
      let error = await #expect(throws: PostgresError.self) {
        // Read-only transactions are only its default.
        try await login.execute("set default_transaction_read_only = off")
        try await login.execute(SQL(trusted: statement))
      }
      #expect(["42501", "42P01"].contains(error?.sqlState?.rawValue), "\(String(describing: error))")
    }
  }

  @Test func `a reporting login does not hear in which lanes jobs are enqueued`() async throws {
    try await Self.withLogin { shop, login in
      await #expect(throws: PostgresError.self) {
        try await login.value("select name from core.job_channel", as: String.self)
      }
      var heard = login.listen(["fettle_job", "fettle_rules"]).makeAsyncIterator()
      _ = await heard.next(isolation: nil)  // it listens now
      await JobNotifier(shop.engine.services.database).notify()
      await JobNotifier(shop.engine.services.database).callOff()
      // A marker, which proves that no notification came before it.
      try await shop.engine.superuser.execute("notify fettle_job, 'marker'")
      guard case .notified(_, let payload, _) = await heard.next(isolation: nil) else {
        Issue.record("the listener lost its connection")
        return
      }
      #expect(payload == "marker")
    }
  }

  @Test func `a reporting login has five connections at most`() async throws {
    let shop = try await Workshop.open()
    let name = try await Self.createLogin(shop.engine)
    var pools: [Database] = []
    for _ in 1...5 {
      let pool = shop.engine.database.connect(as: name, poolSize: 1)
      try await pool.execute("select 1")
      pools.append(pool)
    }
    let sixth = shop.engine.database.connect(as: name, poolSize: 1)
    await #expect(throws: PostgresError.self) { try await sixth.execute("select 1") }
    await sixth.close()
    for pool in pools { await pool.close() }
  }

  @Test func `doctor reports a login that raised its own limits, and the role script restores them`()
    async throws
  {
    // Roles belong to a whole server, and other suites run the role script too.
    try await EphemeralCluster.withOwn { cluster in
      let engine = try await EngineFixture.open(TestDatabase.make(in: cluster), poolSize: 4)
      let name = try await Self.createLogin(engine)
      let login = engine.database.connect(as: name, poolSize: 1)
      try await login.execute("alter role current_user set statement_timeout = 0")
      try await login.execute("alter role current_user set work_mem = '8GB'")
      // The script sets the limits again; it must also remove a setting that is none of them.
      try await login.execute("alter role current_user set datestyle = 'German'")
      await login.close()
      let before = try await Self.reporting(engine)
      #expect(before.contains("\(name) has set statement_timeout=0"))
      #expect(before.contains("\(name) has set work_mem=8GB"))
      try await TestDatabase.prepareRoles(engine.superuser)
      #expect(try await !Self.reporting(engine).contains(name))
      let kept = try await engine.superuser.rows(
        """
        select unnest(s.setconfig) from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
        where r.rolname = \(name)
        """,
        String.self
      )
      #expect(!kept.contains { $0.lowercased().hasPrefix("datestyle") }, "\(kept)")
      await engine.close()
    }
  }

  @Test func `a reporting login cannot lift the limit of its temporary files`() async throws {
    try await Self.withLogin { _, login in
      await #expect(throws: PostgresError.self) { try await login.execute("set temp_file_limit = -1") }
      await #expect(throws: PostgresError.self) {
        try await login.execute("alter role current_user set temp_file_limit = -1")
      }
    }
  }

  @Test func `errors of a reporting login are not written to the server's log`() async throws {
    try await EphemeralCluster.withOwn { cluster in
      let engine = try await EngineFixture.open(TestDatabase.make(in: cluster), poolSize: 4)
      let name = try await Self.createLogin(engine)
      try await TestDatabase.prepareRoles(engine.superuser)
      let login = engine.database.connect(as: name, poolSize: 1)
      for (name, value) in [
        ("log_min_messages", "fatal"), ("log_min_error_statement", "panic"), ("log_statement", "none"),
        ("log_min_duration_statement", "-1"),
      ] {
        let setting = try await login.value("select current_setting(\(name))", as: String.self)
        #expect(setting == value, "\(name)")
        let change = SQL(trusted: "set \(name) = '\(name == "log_min_duration_statement" ? "0" : "error")'")
        await #expect(throws: PostgresError.self, "\(name)") { try await login.execute(change) }
      }
      await login.close()
      await engine.close()
    }
  }

  @Test func `estimates do not follow the names and addresses of other companies`() async throws {
    let shop = try await Workshop.open()
    try await shop.engine.superuser.execute("analyze core.app_user, core.company")
    let columns = try await shop.engine.superuser.rows(
      """
      select s.tablename || '.' || s.attname from pg_stats s
      where s.schemaname = 'core' and s.tablename in ('app_user', 'company')
        and s.attname in ('email', 'email_key', 'name', 'slug')
      """,
      String.self
    )
    #expect(columns.isEmpty)
  }

  @Test func `a cast in a condition does not see rows that a report view leaves out`() async throws {
    try await Self.withLogin { shop, login in
      let removed = try #require(shop.members["viewer"])
      let name = try await login.value("select current_user::text", as: String.self)
      try await shop.engine.superuser.execute(
        "insert into core.report_login (role_name, company_id) values (\(name), \(shop.company.id))"
      )
      try await Members(shop.engine.operators)
        .setStatus(shop.operatorContext, member: "viewer", status: .removed)
      // The condition of the view must be decided before a function that tells its argument in an error.
      for plan in ["nestloop", "mergejoin"] {
        try await login.execute(SQL(trusted: "set enable_\(plan) = off"))
      }
      let found = try await login.value(
        "select count(*)::int from report.v1_member m where case when m.email = \(removed.email) then m.email::int else 1 end > 0",
        as: Int.self
      )
      #expect(found == 3)
      let workers = try await login.value(
        "select count(*)::int from report.v1_worker w where w.host::int > 0 and w.host::int > 1",
        as: Int.self
      )
      #expect(workers == 0)
    }
  }

  @Test(arguments: ["fettle_report", "fettle_app", "fettle_worker", "fettle_admin", "fettle_migrator"])
  func `no role can connect to another database of the server`(_ role: String) async throws {
    let shop = try await Workshop.open()
    for name in ["postgres", "template1"] {
      var parameters = shop.engine.database.parameters
      parameters["user"] = role
      parameters["dbname"] = name
      let other = Database(.init(parameters: parameters, poolSize: 1))
      await #expect(throws: PostgresError.self, "\(name)") { try await other.execute("select 1") }
      await other.close()
    }
  }

  private static func reporting(_ engine: EngineFixture) async throws -> String {
    let findings = try await HealthCheck(engine.operators.database).run()
    return try #require(findings.first { $0.check == "reporting" }).finding
  }

  /// Creates a login for the reports of one company, and returns its name.
  private static func createLogin(_ engine: EngineFixture) async throws -> String {
    let name = "reporting_\(UUID().uuidString.lowercased().prefix(8))"
    try await engine.superuser.execute(
      "create role \(identifier: name) login connection limit 5 in role fettle_report_company"
    )
    return name
  }

  private static func withLogin(_ body: (Workshop, Database) async throws -> Void) async throws {
    let shop = try await Workshop.open()
    // One connection, so that settings of the session last.
    let login = shop.engine.database.connect(as: try await createLogin(shop.engine), poolSize: 1)
    do {
      try await body(shop, login)
      await login.close()
    } catch {
      await login.close()
      throw error
    }
  }
}
