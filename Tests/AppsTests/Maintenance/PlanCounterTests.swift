import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Plans by meter whose counter was replaced, or read wrongly, around the time of the work.
@Suite(.timeLimit(.minutes(60))) struct PlanCounterTests {
  @Test func `a plan that was overdue when its meter was replaced gets its entry, and the others theirs`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    let other = try await shop.plan(["every_days": 3, "title": "Tyres"])
    try await shop.read(meter, "1300", daysAgo: 8)
    try await shop.read(meter, "3", daysAgo: 7, reset: true, first: "0")
    #expect(try await due(shop, plan) == "-50.000", "1250 of the old counter, which ended at 1300")
    #expect(try await shop.makeEntries() == 2)
    let entry = try #require(
      try await shop.entries(of: plan).first?["id"]?.string.flatMap(UUID.init(uuidString:))
    )
    #expect(try await shop.entries(of: other).count == 1)
    try await shop.complete(entry)
    #expect(try await shop.advance(entry) == true)
    #expect(try await due(shop, plan) == "253.000")
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }

  @Test func `a plan whose entry is refused holds up no other, and the administrators are told once`()
    async throws
  {
    let shop = try await PlanShop.open()
    let plans = [
      try await shop.plan(["every_days": 3, "title": "Oil"]),
      try await shop.plan(["every_days": 3, "title": "Tyres"]),
    ]
    let quotas = Quotas(shop.shop.engine.operators, shop.shop.records)
    try await quotas.set(shop.shop.operatorContext, [(MaintenanceEntry.typeName, 1)])
    #expect(try await shop.makeEntries() == 1)
    #expect(try await shop.makeEntries() == 0)
    var waiting: [UUID] = []
    for plan in plans where try await shop.entries(of: plan).isEmpty { waiting.append(plan) }
    let told = try await shop.shop.engine.superuser.rows(
      """
      select j.cause_id from core.job j
      where j.company_id = \(shop.shop.company.id) and j.kind = 'notify.send' and j.cause_type = 'maintenance.pm_plan'
      """,
      UUID.self
    )
    #expect(waiting.count == 1 && told == waiting)
    try await quotas.set(shop.shop.operatorContext, [(MaintenanceEntry.typeName, nil)])
    #expect(try await shop.makeEntries() == 1)
  }

  @Test func `a swap before the work is done is counted once, however late it arrives`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    try await shop.read(meter, "1255", daysAgo: 8)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    try await shop.set(entry, "completed_at = now() - interval '1 hour'")
    // Recorded after the completion, like the readings of a phone that was offline.
    try await shop.read(meter, "3", daysAgo: 7, reset: true, first: "0")
    #expect(try await shop.advance(entry) == true)
    #expect(try await due(shop, plan) == "253.000")
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    // A swap that becomes known only now moves what the meter will show.
    try await shop.read(meter, "10", daysAgo: 6, reset: true, first: "10")
    #expect(try await due(shop, plan) == "260.000")
  }

  @Test func `a wrong reading before the work is corrected for its plan, whenever it was recorded`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    let typo = try await shop.read(meter, "12560", daysAgo: 8)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    try await shop.set(entry, "completed_at = date_trunc('day', now()) - interval '7 days 6 hours'")
    _ = try await shop.advance(entry)
    #expect(try await due(shop, plan) == "12810.000")
    // Marked as a new counter, because the right reading was refused.
    let next = try await shop.read(meter, "1260", daysAgo: 7, reset: true)
    try await update(shop, typo, ["value": "1256"])
    #expect(try await shop.recompute(typo) == 1)
    #expect(try await due(shop, plan) == "1510.000")
    try await update(shop, next, ["is_reset": false])
    _ = try await shop.recompute(next)
    #expect(try await due(shop, plan) == "1506.000")
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }

  @Test func `a first reading that was wrong is corrected for its plan, until a later one confirms it`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    let first = try await shop.read(meter, "12560", daysAgo: 9)
    #expect(try await shop.makeEntries() == 0)
    #expect(try await due(shop, plan) == "12810.000")
    try await update(shop, first, ["value": "1256"])
    #expect(try await shop.recompute(first) == 1)
    #expect(try await due(shop, plan) == "1506.000")
    try await shop.read(meter, "1300", daysAgo: 8)
    try await update(shop, first, ["value": "1200"])
    #expect(try await shop.recompute(first) == 0)
    #expect(try await due(shop, plan) == "1506.000")
  }

  private func due(_ shop: PlanShop, _ plan: UUID) async throws -> String? {
    try await shop.show(plan)["next_due_reading"]?.number?.text
  }

  private func update(_ shop: PlanShop, _ reading: UUID, _ fields: JSONObject) async throws {
    _ = try await shop.shop.records.update(
      shop.shop.acting("admin"),
      type: "maintenance.meter_reading",
      id: reading,
      fields: fields
    )
  }
}
