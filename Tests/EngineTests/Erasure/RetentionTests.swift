import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// What a company keeps for longer than its retention says is removed, unless a legal hold keeps it.
@Suite(.timeLimit(.minutes(60))) struct RetentionTests {
  @Test func `what is due is counted, removed, and no record to which another refers`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make(), poolSize: 4)
    let shop = try await Workshop.open(in: engine)
    let other = try await Workshop.open(in: engine)
    let closed = try await shop.entry()
    for transition in ["start", "complete"] { try await shop.take(transition, closed) }
    let open = try await shop.entry()
    let worked = try await shop.entry()
    try await shop.take("start", worked)
    _ = try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .id(worked), "user_id": .id(try #require(shop.members["user"]?.userID)),
        "work_date": "2026-01-01",
        "start_time": "08:00", "end_time": "09:00",
      ]
    )
    try await shop.take("complete", worked)
    for company in [shop.company.id, other.company.id] {
      try await engine.superuser.execute(
        "update core.audit set at = now() - interval '400 days' where company_id = \(company)"
      )
    }
    try await engine.superuser.transaction(.inside(shop.company.id, mode: .engine)) { tx in
      try tx.execute("update maintenance.entry set updated_at = now() - interval '400 days'")
    }
    let retention = Retention(engine.operators)
    let operatorContext = shop.operatorContext
    try await retention.set(operatorContext, "audit", .days(365))
    try await retention.set(operatorContext, "maintenance.entry", .days(365))
    try await retention.set(operatorContext, "notices", .days(365))
    #expect(
      try await refused { try await retention.set(operatorContext, "audits", .keep) }.hint.contains("audit")
    )
    #expect(
      try await refused { try await retention.set(shop.acting("admin"), "audit", .keep) }.code == .forbidden
    )
    #expect(
      try await refused { try await retention.set(operatorContext, "*", .days(1)) }.code == .invalidInput
    )

    let worker = engine.database.connect(as: "fettle_worker", poolSize: 1)
    func entries() async throws -> [UUID] {
      try await engine.superuser.rows(
        "select e.id from maintenance.entry e where e.company_id = \(shop.company.id)",
        UUID.self
      )
    }
    func audits(_ workshop: Workshop) async throws -> Int64 {
      try await engine.superuser.value(
        "select count(*) from core.audit a where a.company_id = \(workshop.company.id) and a.at < now() - interval '1 day'",
        as: Int64.self
      )
    }
    let counted = try await retention.show(operatorContext)
    let old = try await audits(shop)
    #expect(counted.map(\.subject) == ["audit", "maintenance.entry", "notices"])
    #expect(old > 3 && counted.map(\.due) == [old, 1, 0])

    // A legal hold of one subject, and of all.
    try await retention.set(operatorContext, "audit", .hold("claim 17"))
    try await retention.set(operatorContext, "*", .hold("inspection"))
    #expect(try await Retention.apply(company: shop.company.id, worker) == [:])
    try await retention.set(operatorContext, "*", .release)
    #expect(try await Retention.apply(company: shop.company.id, worker, batch: 2) == ["maintenance.entry": 1])
    #expect(try await Set(entries()) == [open, worked])
    #expect(try await audits(shop) == old)
    try await retention.set(operatorContext, "audit", .release)
    #expect(try await Retention.apply(company: shop.company.id, worker, batch: 2) == ["audit": old])
    #expect(try await audits(shop) == 0)
    #expect(try await audits(other) > 3)

    // Devices begin the type again, and what is left holds.
    let floor = try await engine.superuser.value(
      """
      select s.seq > (select max(f.seq) from core.feed f where f.company_id = s.company_id)
      from core.sync_floor s
      where s.company_id = \(shop.company.id) and s.scope = 'maintenance.entry'
      """,
      as: Bool.self
    )
    #expect(floor)
    let report = try await Verification(engine.operators, catalogue: engine.catalogue).run([
      shop.company, other.company,
    ])
    #expect(report.findings.filter { $0.company != nil } == [])
    await worker.close()
    await engine.close()
  }
}
