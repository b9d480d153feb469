import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The flat views of record types, as reporting logins read them.
@Suite(.timeLimit(.minutes(60))) struct FlatViewTests {
  @Test func `each type that is not private has a view, with a comment on the view and on each column`()
    async throws
  {
    let engine = try await EngineFixture.shared()
    let missing = try await engine.superuser.rows(
      """
      select t.name from core.record_type t
      where t.owner_only <> (t.flat_view is null)
        or not t.owner_only and obj_description(to_regclass('report.' || t.flat_view), 'pg_class') is null
      """,
      String.self
    )
    #expect(missing.isEmpty)
    let silent = try await engine.superuser.rows(
      """
      select t.flat_view || '.' || a.attname
      from core.record_type t
      join pg_attribute a on a.attrelid = to_regclass('report.' || t.flat_view) and a.attnum > 0
      where col_description(a.attrelid, a.attnum) is null and t.app in ('maintenance', 'inventory', 'solar')
      """,
      String.self
    )
    #expect(silent.isEmpty)
    for name in ["v1_entry", "v1_time_entry", "v1_item", "v1_recording"] {
      #expect(try await columns(engine, name).contains("company"), "\(name)")
    }
  }

  @Test func `a view has names beside ids, the company's dates beside instants, and no internals`()
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Pacific/Auckland", roles: ["user"])
    let user = try #require(shop.members["user"])
    let entry = try await shop.entry("user", ["assigned_to": .id(user.userID), "actual_cost": "12.50"])
    try await shop.take("start", entry, as: "user")
    let columns = try await columns(shop.engine, "v1_entry")
    for name in [
      "machine_id", "machine", "category", "assigned_to_name", "started_by_name", "started_at", "started_on",
      "created_on", "today", "status_category",
    ] { #expect(columns.contains(name), "\(name)") }
    for name in ["history_hash", "history_seq", "deleted_at", "number_seq", "origin_device", "version"] {
      #expect(!columns.contains(name), "\(name)")
    }
    #expect(
      try await shop.report(
        "v1_entry",
        """
        number, machine, category, assigned_to_name, actual_cost + 1, status,
        started_on = (started_at at time zone 'Pacific/Auckland')::date,
        today = (now() at time zone 'Pacific/Auckland')::date
        """
      ) == ["WO-1001|RM-001|Engine|Member user|13.50|in_progress|true|true"]
    )
    let parts = try await shop.report("v1_category", "name, machine, is_base")
    #expect(parts.contains("Engine||false") || parts.contains { $0.hasPrefix("Engine|") })
  }

  @Test func `a login for one company reads its rows of every view, and fettle_report those of all`()
    async throws
  {
    let (one, other) = (try await Workshop.open(), try await Workshop.open())
    for shop in [one, other] { _ = try await shop.entry() }
    let engine = one.engine
    let name = "reporting_\(UUID().uuidString.lowercased().prefix(8))"
    try await engine.superuser.execute(
      "create role \(identifier: name) login connection limit 5 in role fettle_report_company"
    )
    let views = try await engine.superuser.rows(
      "select t.flat_view from core.record_type t where t.flat_view is not null",
      String.self
    )
    let login = engine.database.connect(as: name, poolSize: 1)
    let reader = engine.database.connect(as: "fettle_report", poolSize: 1)
    #expect(
      try await login.value("select count(*) from report.v1_entry", as: Int64.self) == 0,
      "no company yet"
    )
    try await engine.superuser.execute(
      "insert into core.report_login (role_name, company_id) values (\(name), \(one.company.id))"
    )
    for view in views {
      let seen = try await login.rows(
        "select distinct v.company from report.\(identifier: view) v",
        String.self
      )
      #expect(Set(seen).isSubset(of: [one.company.slug]), "\(view)")
    }
    #expect(
      try await login.rows("select distinct v.company_id from report.v1_entry v", UUID.self) == [
        one.company.id
      ]
    )
    let all: [UUID] =
      (try await reader.rows("select distinct v.company_id from report.v1_entry v", UUID.self))
    #expect(all.contains(one.company.id) && all.contains(other.company.id))
    // Neither a setting nor the session of a member opens the other company.
    try await login.execute("set fettle.company_id = '\(SQL(trusted: other.company.id.uuidString))'")
    #expect(
      try await login.rows("select distinct v.company_id from report.v1_entry v", UUID.self) == [
        one.company.id
      ]
    )
    await login.close()
    await reader.close()
    let inside = try await engine.services.database.transaction(.inside(other.company.id, readOnly: true)) {
      tx in
      try tx.rows("select distinct v.company_id from report.v1_entry v", UUID.self)
    }
    #expect(inside == [other.company.id])
  }

  @Test func `deleted records are in no view`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry("owner")
    #expect(try await shop.report("v1_entry", "description").count == 1)
    _ = try await shop.records.delete(shop.acting("owner"), type: "maintenance.entry", id: entry)
    #expect(try await shop.report("v1_entry", "description").isEmpty)
  }

  @Test(arguments: ["psql", "DBeaver 24", "pgAdmin 4 - DB:fettle"])
  func `an operator without a company is told how to enter one`(_ program: String) async throws {
    let shop = try await Workshop.open()
    _ = try await shop.entry("owner")
    let admin = shop.engine.database.connect(as: "fettle_admin", poolSize: 1)
    #expect(try await admin.value("select count(*) from maintenance.entry", as: Int64.self) == 0, "a program")
    try await admin.execute("select set_config('application_name', \(program), false)")
    for relation in ["maintenance.entry", "report.v1_entry", "report.v1_backlog", "core.audit"] {
      let count: SQL = "select count(*) from \(SQL(trusted: relation))"
      let error = await #expect(throws: PostgresError.self) { try await admin.value(count, as: Int64.self) }
      #expect(error?.message.contains("no company is entered") == true, "\(relation)")
    }
    // What needs no company, and the hint itself.
    #expect(try await admin.value("select count(*) from core.company", as: Int64.self) > 1)
    #expect(try await admin.value("select count(*) from report.v1_worker", as: Int64.self) >= 0)
    try await admin.execute(
      "select set_config('fettle.company_id', id::text, false) from core.company_by_slug(\(shop.company.slug))"
    )
    #expect(try await admin.value("select count(*) from report.v1_entry", as: Int64.self) == 1)
    await admin.close()
  }

  private func columns(_ engine: EngineFixture, _ view: String) async throws -> Set<String> {
    Set(
      try await engine.superuser.rows(
        "select a.attname::text from pg_attribute a where a.attrelid = to_regclass('report.' || \(view)) and a.attnum > 0",
        String.self
      )
    )
  }
}
