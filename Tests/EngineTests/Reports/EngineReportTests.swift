import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Reports
import Store
import TestDatabase
import Testing

/// Reports on the engine's own tables: their rows, and their readers.
@Suite(.timeLimit(.minutes(60))) struct EngineReportTests {
  @Test func `members and roles of a company`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user", "user2"])
    _ = try await Members(shop.engine.operators).setStatus(
      shop.operatorContext,
      member: "user2@\(shop.company.slug).example",
      status: .removed
    )
    #expect(
      try await rows(shop, "v1_member", "member, email, role, status, account_status, invited_by") == [
        "Member admin|admin@\(shop.company.slug).example|admin|active|active|",
        "Member user|user@\(shop.company.slug).example|user|active|active|",
        "Olga Owner|owner@\(shop.company.slug).example|owner|active|active|",
      ]
    )
    let roles = try await rows(shop, "v1_role", "role, is_built_in, members, permissions > 0")
    #expect(roles.contains("user|true|1|true") && roles.contains("viewer|true|0|true"))
    #expect(roles.count == 6)
  }

  @Test func `invitations and their status`() async throws {
    let shop = try await Workshop.open()
    let company = shop.company.id
    try await shop.engine.superuser.execute(
      """
      insert into core.invite
        (company_id, id, role, hint, max_uses, used, expires_at, revoked_at, created_by, created_at)
      select \(company), gen_random_uuid(), 'user', x.hint, 2, x.used, now() + x.rest,
        case when x.hint = 'd' then now() end, \(shop.members["owner"]?.userID ?? UUID()), now() - interval '9 days'
      from (values ('a', 1, interval '1 day'), ('b', 2, '1 day'), ('c', 0, '-1 second'), ('d', 0, '1 day'))
        x (hint, used, rest)
      """
    )
    #expect(
      try await rows(shop, "v1_invite", "hint, role, status, used, max_uses, created_by") == [
        "a|user|active|1|2|Olga Owner", "b|user|exhausted|2|2|Olga Owner", "c|user|expired|0|2|Olga Owner",
        "d|user|revoked|0|2|Olga Owner",
      ]
    )
  }

  @Test func `the audit names people and what they did`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    try await Quotas(shop.engine.operators, shop.records).set(
      shop.operatorContext,
      [(type: "maintenance.machine", maximum: 4)]
    )
    let lines = try await rows(shop, "v1_audit", "actor_kind, actor, action, subject_id")
    #expect(lines.contains("operator|tests|company.quota_set|maintenance.machine"))
    #expect(lines.contains { $0.contains("|member.added|") })
  }

  @Test func `quotas and how much of them is used`() async throws {
    let shop = try await Workshop.open()
    try await Quotas(shop.engine.operators, shop.records).set(
      shop.operatorContext,
      [(type: "maintenance.machine", maximum: 4), (type: "*", maximum: 10)]
    )
    let gone = try await shop.entry()
    _ = try await shop.records.delete(shop.acting("owner"), type: "maintenance.entry", id: gone)
    // The machine and the category of the workshop.
    #expect(
      try await rows(shop, "v1_quota", "record_type, used, max_records, percent_used") == [
        "*|2|10|20.0", "maintenance.machine|1|4|25.0",
      ]
    )
  }

  @Test func `schedules with their next run, and workers that are alive`() async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm")
    try await shop.engine.superuser.execute(
      """
      insert into core.schedule (company_id, name, app, kind, cron, next_at, paused_at)
      values (\(shop.company.id), 'nightly', 'core', 'history.seal', '10 3 * * *', '-infinity', null),
             (\(shop.company.id), 'paused', 'core', 'history.seal', '0 4 * * *', '2030-01-01 03:00Z', now())
      """
    )
    #expect(
      try await rows(shop, "v1_schedule", "schedule, kind, cron, timezone, is_paused, next_at is null") == [
        "nightly|history.seal|10 3 * * *|Europe/Stockholm|false|true",
        "paused|history.seal|0 4 * * *|Europe/Stockholm|true|false",
      ]
    )
  }

  @Test func `a login of one company sees its members and no others`() async throws {
    let (one, other) = (try await Workshop.open(), try await Workshop.open())
    let seen = try await one.engine.services.database.transaction(.inside(one.company.id, readOnly: true)) {
      tx in
      try tx.rows("select distinct v.company from report.v1_member v", String.self)
    }
    #expect(seen == [one.company.slug] && other.company.slug != one.company.slug)
  }

  @Test func `each report of the engine can be run, and names the permission that it needs`() async throws {
    let engine = try await EngineFixture.shared()
    let reader = engine.database.connect(as: "fettle_report", poolSize: 1)
    let reports = try await Report.all(reader).filter { $0.app == "core" }
    #expect(
      reports.map(\.name) == [
        "audit", "dead_jobs", "invites", "jobs", "members", "quotas", "roles", "schedules",
        "sync", "webhooks", "workers",
      ]
    )
    for report in reports {
      #expect(report.permission != nil, "\(report.name)")
      let headings = try await ReportRunner(reader).headings(report)
      #expect(headings.allSatisfy { $0.meaning?.isEmpty == false }, "\(report.name)")
      try await ReportRunner(reader).run(report, company: nil, options: TransactionOptions()) { _ in }
    }
    await reader.close()
  }

  /// The rows of a report as the reporting login reads them, sorted by text.
  private func rows(_ shop: Workshop, _ view: String, _ columns: String) async throws -> [String] {
    let reader = shop.engine.database.connect(as: "fettle_report", poolSize: 1)
    let rows = try await reader.rows(
      """
      select array_to_string(array[\(SQL(trusted: columns.split(separator: ",").map { "(\($0))::text" }
        .joined(separator: ", ")))], '|', '')
      from report.\(identifier: view) v
      where v.company_id = \(shop.company.id)
      order by 1
      """,
      String.self
    )
    await reader.close()
    return rows
  }
}
