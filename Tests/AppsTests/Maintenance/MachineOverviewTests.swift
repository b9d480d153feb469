import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct MachineOverviewTests {
  @Test func `a machine shows what is open on it and how long that should take, as SQL counts it`()
    async throws
  {
    let shop = try await Workshop.open()
    let other = try await shop.records.create(
      shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "RM-002", "name": "Mixer"]
    )
    let hours = ["0.5", "1.25", "2", "0", "7.75"]
    for (index, estimate) in hours.enumerated() {
      let entry = try await shop.entry(
        "user",
        ["estimated_hours": .number(try ExactDecimal(parsing: estimate))]
      )
      if index > 0 { try await shop.take("start", entry) }
      if index > 2 { try await shop.take("complete", entry) }
    }
    // Deleted records are not counted: a pending and a started entry, and hours.
    for isStarted in [false, true] {
      let entry = try await shop.entry("user", ["estimated_hours": 100])
      if isStarted { try await shop.take("start", entry) }
      if isStarted { try await log("08:00", "20:00", on: entry, shop) }
      _ = try await shop.records.delete(shop.operatorContext, type: "maintenance.entry", id: entry)
    }
    let kept = try await shop.entry("user", ["estimated_hours": 0])
    try await log("08:00", "10:30", on: kept, shop)
    let withdrawn = try await log("11:00", "12:00", on: kept, shop)
    _ = try await shop.records.delete(shop.operatorContext, type: "maintenance.time_entry", id: withdrawn)
    let shown = try await shop.records.show(
      shop.acting("user"),
      type: "maintenance.machine",
      id: shop.machine
    )
    let counted = try await shop.engine.superuser.first(
      """
      select count(*) filter (where e.status = 'pending'), count(*) filter (where e.status = 'in_progress'),
        sum(e.estimated_hours) filter (where e.status <> 'completed')
      from maintenance.entry e
      where e.company_id = \(shop.company.id) and e.machine_id = \(shop.machine) and e.deleted_at is null
      """,
      Int.self,
      Int.self,
      ExactDecimal.self
    )
    #expect(shown["pending_items"]?.number?.integer == counted.map { Int64($0.0) })
    #expect(shown["in_progress_items"]?.number?.integer == counted.map { Int64($0.1) })
    #expect(shown["pending_items"] == 2 && shown["in_progress_items"] == 2)
    #expect(shown["open_estimated_hours"]?.number?.approximate == 3.75)
    #expect(shown["hours_logged"]?.number?.approximate == 2.5)
    #expect(counted?.2.description == "3.75")
    let idle = try await shop.records.show(shop.acting("user"), type: "maintenance.machine", id: other.id)
    #expect(idle["pending_items"]?.number?.integer == 0)
    #expect(idle["open_estimated_hours"]?.number?.approximate == 0)
  }

  @discardableResult
  private func log(_ from: String, _ to: String, on entry: UUID, _ shop: Workshop) async throws -> UUID {
    try await shop.records.create(
      shop.acting("user"),
      type: "maintenance.time_entry",
      fields: [
        "entry_id": .id(entry), "work_date": "2026-03-02", "start_time": .string(from),
        "end_time": .string(to), "user_name": .string("Ana of \(entry.text)"),
      ]
    ).id
  }
}
