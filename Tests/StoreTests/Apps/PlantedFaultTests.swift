import Domain
import Postgres
import Store
import TestDatabase
import Testing

/// Mistakes planted into the example, each of which an installation refuses with its own code, leaving nothing.
@Suite(.timeLimit(.minutes(10))) struct PlantedFaultTests {
  /// A mistake: a text of a file, what it is replaced by, and what must be said about it.
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let text: String
    let planted: String
    let code: String
    /// A part of the place that must be named.
    let place: String

    init(_ name: String, _ code: String, at place: String, _ file: String, _ text: String, _ planted: String) {
      self.name = name
      self.code = code
      self.place = place
      self.file = file
      self.text = text
      self.planted = planted
    }

    var testDescription: String { name }
  }

  private static let page = "orchard.app.yaml"
  private static let flow = "tree.workflow.yaml"
  private static let sql = "0001_tables.sql"
  private static let views = "views/1_views.sql"
  private static let end = "comment on column orchard.harvest.kilograms is 'How much.';"

  private static func after(_ statement: String) -> String { "\(end)\n\(statement);" }

  private static let manifestFaults = [
    Fault("missing column", "missing_column", at: "types.orchard.tree.editable", page, "[variety, pl", "[varietty, pl"),
    Fault("unsaid column", "unsaid_column", at: "types.orchard.harvest", page, "[picked_on, kilograms]\n    fixed", "[picked_on]\n    fixed"),
    Fault("missing view", "missing_relation", at: "types.orchard.tree", page, "orchard.v_tree", "orchard.v_trees"),
    Fault("missing report", "missing_relation", at: "reports.other.view", page, "reports:", "reports:\n  - { name: other, title: Other, view: report.v1_other }"),
    Fault("report without version", "invalid_report", at: "reports.yield.view", page, "report.v1_yield", "report.yield"),
    Fault("report ordered by nothing", "missing_column", at: "reports.yield.order", page, "-kilograms", "-kilos"),
    Fault("unknown permission", "unknown_permission", at: "fell.permission", flow, "orchard.tree.fell", "orchard.harvest.fell"),
    Fault("unknown verb", "unknown_permission", at: "grants.user", page, "update.own, bear", "update.own, baer"),
    Fault("unknown template", "unknown_template", at: "remind.effects[0]", flow, "check_tree", "check_trea"),
    Fault("unknown job", "unknown_job", at: "fell.effects[0]", flow, "require: { comment: { min: 3 } }", "effects: [{ job: { kind: orchard.weep } }]"),
    Fault("unknown message", "unknown_message", at: "bear.guards[0]", flow, "nothing_picked", "nothing_pickd"),
    Fault("unreachable state", "unreachable_state", at: "states.lost", flow, "transitions:", "  lost: { label: Lost, category: done, final: true }\ntransitions:"),
    Fault("dead end", "dead_end", at: "states.felled", flow, "color: grey, final: true", "color: grey"),
    Fault("competing system transitions", "competing_transitions", at: "states.growing.after[1]", flow, "max: 3 }]", "max: 3 }, { delay: P365D, fire: remind }]"),
    Fault("timer from the wrong state", "timer_fires_elsewhere", at: "states.bearing.after[0]", flow, "color: green }", "color: green, after: [{ delay: P1D, fire: remind }] }"),
    Fault("guard naming no column", "unknown_field", at: "bear.guards[0]", flow, "$.harvests > 0", "!($.harvest > 3)"),
    Fault("guard without a column", "guard_without_field", at: "bear.guards[0]", flow, "$.harvests > 0", "1 == 1"),
    Fault("catastrophic guard", "guard_over_budget", at: "bear.guards[0]", flow, "$.harvests > 0", "exists($.** ? (@.harvests > 0))"),
    Fault("nested guard", "guard_over_budget", at: "bear.guards[0]", flow, "$.harvests > 0", "exists($ ? (exists(@ ? (exists(@ ? (@.harvests > 0))))))"),
    Fault("guard that does not parse", "guard_unparsable", at: "bear.guards[0]", flow, "$.harvests > 0", "$.harvests >"),
    Fault("guard that is no predicate", "guard_no_predicate", at: "bear.guards[0]", flow, "$.harvests > 0", "$.harvests + 1"),
    Fault("unknown state", "unknown_state", at: "fell.to", flow, "to: felled", "to: feled"),
    Fault("reference to nothing", "unknown_type", at: "references.tree_id", page, "to: orchard.tree,", "to: orchard.shrub,"),
    Fault("hook firing for people", "transition_of_people", at: "hooks[0].fire", page, "    fixed: [code]", "    hooks: [{ on: create, fire: bear }]\n    fixed: [code]"),
    Fault("hook firing nothing", "unknown_transition", at: "hooks[0].fire", page, "    fixed: [code]", "    hooks: [{ on: create, fire: bare }]\n    fixed: [code]"),
    Fault("hook over no column", "unknown_field", at: "hooks[0].when", page, "    fixed: [code]", "    hooks: [{ on: create, when: '$.colour == 1', fire: remind }]\n    fixed: [code]"),
    Fault("schedule of no job", "unknown_job", at: "schedules[0].job", page, "reports:", "schedules: [{ job: orchard.prune, cron: '0 5 * * *' }]\nreports:"),
    Fault("schedule never", "invalid_cron", at: "schedules[0].cron", page, "reports:", "jobs: [orchard.prune]\nschedules: [{ job: orchard.prune, cron: 'daily' }]\nreports:"),
    Fault("schedule nowhere", "invalid_zone", at: "schedules[0].zone", page, "reports:", "jobs: [orchard.prune]\nschedules: [{ job: orchard.prune, cron: '0 5 * * *', zone: Europe/Atlantis }]\nreports:"),
    Fault("the engine's schema", "schema_taken", at: "schema", page, "version: 1", "version: 1\nschema: core"),
    Fault("table elsewhere", "outside_schema", at: "types.orchard.harvest.table", page, "table: orchard.harvest", "table: maintenance.meter"),
  ]

  private static let tableFaults = [
    Fault("table without company_id", "missing_company_id", at: "tables.orchard.box", sql, end, after("create table orchard.box (id uuid primary key)")),
    Fault("record without a base column", "missing_base_column", at: "tables.orchard.harvest", sql, end, after("alter table orchard.harvest drop column origin_device")),
    Fault("primary key not led by company", "key_not_led_by_company", at: "tables.orchard.box", sql, end, after("create table orchard.box (company_id uuid not null, id uuid primary key)")),
    Fault("unique key not led by company", "unique_not_led_by_company", at: "tables.orchard.tree", sql, "(company_id, code_key)", "(code_key)"),
    Fault("foreign key not composite", "foreign_key_not_composite", at: "tables.orchard.box", sql, end, after("create table orchard.box (company_id uuid not null, id uuid not null, tree_id uuid references core.api_token (id), primary key (company_id, id)); create index on orchard.box (tree_id)")),
    Fault("foreign key not led by company", "foreign_key_not_led_by_company", at: "tables.orchard.harvest", sql, "(company_id, tree_id) references orchard.tree (company_id, id)", "(tree_id, company_id) references orchard.tree (id, company_id)"),
    Fault("foreign key that acts", "foreign_key_acts", at: "tables.orchard.harvest", sql, "references orchard.tree (company_id, id)", "references orchard.tree (company_id, id) on delete cascade"),
    Fault("foreign key without an index", "foreign_key_without_index", at: "tables.orchard.harvest", sql, "create index on orchard.harvest (company_id, tree_id);", ""),
    Fault("view as its owner", "view_not_invoker", at: "tables.orchard.v_tree", views, " with (security_invoker = true)", ""),
    Fault("view without version", "view_without_column", at: "tables.orchard.v_tree", views, "t.id, t.version,", "t.id,"),
    Fault("view of secrets", "view_reads_secret", at: "tables.orchard.v_token", views, "comment on view orchard.v_tree is", "create view orchard.v_token with (security_invoker = true) as select company_id, id, secret_hash from core.api_token; comment on view orchard.v_tree is"),
    Fault("materialised view", "relation_not_allowed", at: "tables.orchard.m", sql, end, after("create materialized view orchard.m as select 1 as one")),
    Fault("function that may write", "function_not_allowed", at: "tables.orchard.f", sql, end, after("create function orchard.f() returns int language sql return 1")),
    Fault("trigger", "trigger_not_allowed", at: "tables.orchard.tree", sql, end, after("create function orchard.f() returns trigger language plpgsql as $$ begin return new; end $$; create trigger t after insert on orchard.tree for each row execute function orchard.f()")),
    Fault("policy that opens a table", "policy_not_allowed", at: "tables.orchard.tree", sql, end, after("create policy all_of_it on orchard.tree to fettle_app using (true)")),
    Fault("grant to others", "grant_not_allowed", at: "tables.orchard.tree", sql, end, after("grant select on orchard.tree to fettle_report")),
    Fault("grant to everybody", "grant_not_allowed", at: "tables.orchard", sql, end, after("grant usage on schema orchard to public")),
    Fault("right to delete records", "grant_not_allowed", at: "tables.orchard.tree", sql, end, after("grant delete on orchard.tree to fettle_app")),
  ]

  private static let sqlFaults = [
    Fault("SQL that makes a table in core", "changes_others", at: "sql", sql, end, after("create table core.extra (id uuid primary key)")),
    Fault("SQL that alters core", "changes_others", at: "sql", sql, end, after("alter table core.company add column extra text")),
    Fault("SQL that drops a policy of core", "changes_others", at: "sql", sql, end, after("drop policy tenant on core.role")),
    Fault("SQL that opens core", "changes_others", at: "sql", sql, end, after("grant select on core.membership to fettle_report")),
    Fault("SQL that comments core", "changes_others", at: "sql", sql, end, after("comment on table core.company is 'mine'")),
    Fault("SQL that changes a function of core", "changes_others", at: "sql", sql, end, after("create or replace function core.current_company() returns uuid language sql stable return null::uuid")),
    Fault("SQL that disables row-level security of another app", "changes_others", at: "sql", sql, end, after("alter table maintenance.machine disable row level security")),
    Fault("SQL that inherits from another app", "changes_others", at: "sql", sql, end, after("create table orchard.box () inherits (maintenance.base_category_template)")),
    Fault("report that is not declared", "changes_others", at: "sql.report.v1_other", sql, end, after("create view report.v1_other with (security_invoker = true) as select 1 as one")),
    Fault("SQL that makes a role", "changes_others", at: "0001_tables.sql:", sql, end, after("create role orchard_keeper")),
    Fault("SQL that makes a schema more", "changes_others", at: "sql", sql, end, after("create schema orchard_two")),
    Fault("SQL that writes core", "writes_rows", at: "0001_tables.sql:", sql, end, after("insert into core.permission (name, app, description) values ('orchard.god', 'orchard', 'all')")),
    Fault("SQL that writes core behind a CTE", "writes_rows", at: "0001_tables.sql:", sql, end, after("with x as (delete from core.builtin_grant returning 1) select count(*) from x")),
    Fault("SQL that writes core in a block", "writes_rows", at: "0001_tables.sql:", sql, end, after("do $$ begin insert into core.builtin_grant (role, permission) values ('viewer', 'role.create'); exception when others then null; end $$")),
    Fault("SQL that writes companies", "writes_rows", at: "0001_tables.sql:", sql, end, after("update core.company set name = 'mine'")),
    Fault("SQL that writes another app", "writes_rows", at: "0001_tables.sql:", sql, end, after("insert into maintenance.base_category_template (name) values ('Fruit')")),
    Fault("SQL with COMMIT", "transaction_control", at: "0001_tables.sql:", sql, end, after("/* well */ commit")),
    Fault("SQL with ROLLBACK", "transaction_control", at: "0001_tables.sql:", sql, end, after("Rollback")),
    Fault("SQL with SAVEPOINT", "transaction_control", at: "0001_tables.sql:", sql, end, after("savepoint a")),
    Fault("SQL with SET ROLE", "session_setting", at: "0001_tables.sql:", sql, end, after("set role fettle_admin")),
    Fault("SQL with RESET", "session_setting", at: "0001_tables.sql:", sql, end, after("reset all")),
    Fault("SQL that changes its role in a block", "session_setting", at: "0001_tables.sql:", sql, end, after("do $$ begin perform set_config('role', 'none', true); end $$")),
    Fault("SQL that changes a setting in a query", "session_setting", at: "0001_tables.sql:", sql, end, after("select set_config('fettle.write', 'engine', true)")),
    Fault("SQL with COPY", "statement_not_allowed", at: "0001_tables.sql:", sql, end, after("copy orchard.tree from program 'id'")),
    Fault("SQL with TRUNCATE", "statement_not_allowed", at: "0001_tables.sql:", sql, end, after("truncate core.job")),
    Fault("migration outside a transaction", "transaction_control", at: "0001_tables.sql", sql, "create schema orchard;", "-- no transaction\ncreate schema orchard;"),
  ]

  @Test(arguments: manifestFaults)
  func `a fault in the page of YAML is refused`(_ fault: Fault) async throws { try await refuse(fault) }

  @Test(arguments: tableFaults)
  func `a table or view that does not fit is refused`(_ fault: Fault) async throws { try await refuse(fault) }

  @Test(arguments: sqlFaults)
  func `SQL that does what an app may not is refused`(_ fault: Fault) async throws { try await refuse(fault) }

  private func refuse(_ fault: Fault) async throws {
    let admin = try await Ground.shared.admin()
    let package = try ExampleApp.read().replacing(fault.text, with: fault.planted, in: fault.file).package()
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(package) }
    let findings = error.details["findings"]?.array?.compactMap(\.object) ?? []
    let codes = findings.map { "\($0["code"]?.string ?? "") at \($0["path"]?.string ?? "")" }
    let isFound = findings.contains { finding in
      finding["code"]?.string == fault.code && finding["path"]?.string?.contains(fault.place) == true
    }
    #expect(isFound, "\(codes): \(error)")
    #expect(findings.allSatisfy { $0["hint"]?.string?.isEmpty == false })
    let left = try await admin.value(
      """
      select (select count(*) from pg_namespace where nspname like 'orchard%')
        + (select count(*) from core.app where name = 'orchard')
        + (select count(*) from core.permission where name like 'orchard.%')
        + (select count(*) from core.migration where app = 'orchard')
      """,
      as: Int64.self
    )
    #expect(left == 0)
  }

  @Test func `a schema that is there already is not taken over`() async throws {
    let database = try await TestDatabase.make()
    let superuser = database.connect(as: "postgres", poolSize: 1)
    try await superuser.execute("create schema orchard")
    let admin = database.connect(poolSize: 1)
    let package = try ExampleApp.read().package()
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(package) }
    #expect(error.details["finding"]?.string == "schema_taken", "\(error)")
    await admin.close()
    await superuser.close()
  }

  @Test func `an upgrade that switches row-level security off is refused`() async throws {
    let database = try await TestDatabase.make()
    let admin = database.connect(poolSize: 1)
    _ = try await AppInstaller(admin).install(ExampleApp.read().package())
    let next = try ExampleApp.read().upgraded()
      .adding("0003_open.sql", "alter table orchard.tree disable row level security;")
    let error = try await Refusal.of { _ = try await AppInstaller(admin).install(next.package()) }
    #expect(error.details["finding"]?.string == "row_security_disabled", "\(error)")
    await admin.close()
  }

  @Test func `what can be seen without a database is`() throws {
    let seen = Self.manifestFaults.filter { fault in
      (try? ExampleApp.read().replacing(fault.text, with: fault.planted, in: fault.file).package().findings())
        .map { findings in findings.contains { $0.code == fault.code } } ?? false
    }
    #expect(seen.count >= 14, "\(seen.map(\.name))")
    #expect(try ExampleApp.read().package().findings().isEmpty)
    #expect(try AppPackage.allEmbedded().allSatisfy { try $0.findings().isEmpty })
    for fault in Self.sqlFaults.filter({ $0.code == "transaction_control" }) {
      let app = try ExampleApp.read().replacing(fault.text, with: fault.planted, in: fault.file)
      #expect(try app.package().findings().contains { $0.code == fault.code }, "\(fault.name)")
    }
  }

  /// One database for all of them, since nothing is to stay in it.
  private actor Ground {
    static let shared = Ground()
    private var making: Task<Database, any Error>?

    func admin() async throws -> Database {
      if let making { return try await making.value }
      // A task of its own, because many tests wait for it and none may cancel it for the others.
      let task = Task { try await TestDatabase.make().connect(poolSize: 4) }
      making = task
      return try await task.value
    }
  }
}
