import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Contradictory readings are refused, wrong ones are corrected or withdrawn, and plans follow.
@Suite(.timeLimit(.minutes(60))) struct MeterReadingTests {
  @Test func `a reading below the last one is refused with what to do, unless the counter was set back`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1204.5", daysAgo: 3)
    let refusal = try await refused { try await shop.read(meter, "1150", daysAgo: 2) }
    #expect(refusal.code == .readingBelowLast)
    #expect(refusal.message.contains("1150 h is below the last reading of Hours: 1204.5 h"))
    #expect(refusal.hint.contains("--reset"))
    try await shop.read(meter, "1204.5", daysAgo: 2)
    try await shop.read(meter, "3", daysAgo: 1, reset: true)
    #expect(try await total(shop, meter) == "0.000", "the new counter has counted nothing that is known")
    try await shop.read(meter, "4.5", daysAgo: 0)
    #expect(try await total(shop, meter) == "1.500")
  }

  @Test func `a reading that was forgotten fits between its neighbours or is refused`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "100", daysAgo: 9)
    try await shop.read(meter, "200", daysAgo: 3)
    let refusal = try await refused { try await shop.read(meter, "250", daysAgo: 6) }
    #expect(refusal.code == .readingBelowLast)
    #expect(refusal.message.contains("above the later reading of Hours: 200 h"))
    try await shop.read(meter, "150", daysAgo: 6)
    try await shop.read(meter, "5", daysAgo: 2, reset: true)
    // A reading after a reset does not limit the readings before it.
    try await shop.read(meter, "300", daysAgo: 2, hours: -1)
    #expect(try await total(shop, meter) == "200.000")
  }

  @Test func `readings at once are compared with each other`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let outcomes = await withTaskGroup(of: String.self) { group in
      for (value, daysAgo) in [("500", 5), ("100", 2)] as [(String, Int32)] {
        group.addTask {
          do {
            try await shop.read(meter, value, daysAgo: daysAgo)
            return "read"
          } catch {
            return (error as? DomainError)?.code.rawValue ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.sorted() == ["read", "reading_below_last"])
  }

  @Test func `a wrong reading is corrected by its creator, between its neighbours`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 3)
    let wrong = try await shop.read(meter, "12045", daysAgo: 2)
    let records = shop.shop.records
    func correct(_ fields: JSONObject, as name: String = "user") async throws {
      _ = try await records.update(
        shop.shop.acting(name),
        type: "maintenance.meter_reading",
        id: wrong,
        fields: fields
      )
    }
    #expect(try await refused { try await correct(["value": "999"]) }.code == .readingBelowLast)
    try await correct(["value": "1204.5"])
    #expect(try await total(shop, meter) == "204.500")
    try await correct(["value": "4", "is_reset": true, "first_value": "0"], as: "admin")
    #expect(try await total(shop, meter) == "4.000")
    let history = try await records.history(
      shop.shop.acting("user"),
      type: "maintenance.meter_reading",
      id: wrong
    )
    #expect(history.map(\.kind) == ["create", "edit", "edit"])
  }

  @Test func `a correction takes back the entry that a wrong reading made, and moves no due date`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "1200.000")
    let wrong = try await shop.read(meter, "11000", daysAgo: 8)
    #expect(try await shop.makeEntries() == 1)
    try await correct(shop, wrong, "1100")
    #expect(try await shop.recompute(wrong) == 1, "the entry that nobody had touched")
    #expect(try await shop.entries(of: plan).isEmpty)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "1200.000")
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    #expect(try await shop.recompute(wrong) == 0)
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }

  @Test func `an entry that somebody works on stays when the reading behind it is corrected`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    let wrong = try await shop.read(meter, "11000", daysAgo: 8)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "11200.000")
    try await correct(shop, wrong, "1100")
    #expect(try await shop.recompute(wrong) == 1, "its interval began with that reading, the newest one")
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "1300.000")
    #expect(try await shop.entries(of: plan).count == 1)
  }

  @Test func `a correction of an old reading moves no due date`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let first = try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    let middle = try await shop.read(meter, "1100", daysAgo: 8)
    try await shop.read(meter, "1150", daysAgo: 7)
    for (reading, value) in [(first, "900"), (middle, "1149"), (first, "1.5"), (middle, "1100")] {
      try await correct(shop, reading, value)
      _ = try await shop.recompute(reading)
      let shown = try await shop.show(plan)
      #expect(shown["next_due_reading"]?.number?.text == "1250.000" && shown["is_due"]?.bool == false)
    }
    _ = try await shop.shop.records.delete(
      shop.shop.acting("user"),
      type: "maintenance.meter_reading",
      id: first
    )
    _ = try await shop.recompute(first)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "1250.000")
    #expect(try await shop.makeEntries() == 0)
    try await shop.read(meter, "1250", daysAgo: 1)
    #expect(try await shop.show(plan)["is_due"]?.bool == true)
  }

  @Test
  func `a plan of a meter that was never read counts from the first reading, also when that is corrected`()
    async throws
  {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 250])
    #expect(try await shop.show(plan)["next_due_reading"] == .null)
    let first = try await shop.read(meter, "1000", daysAgo: 9)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "1250.000")
    #expect(try await shop.makeEntries() == 0)
    try await shop.read(meter, "1100", daysAgo: 8)
    try await correct(shop, first, "10")
    _ = try await shop.recompute(first)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "1250.000")
  }

  @Test func `a withdrawn reading counts no more, for the meter or for its plans`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    let wrong = try await shop.read(meter, "9000", daysAgo: 8)
    #expect(try await shop.show(plan)["is_due"]?.bool == true)
    _ = try await shop.shop.records.delete(
      shop.shop.acting("user"),
      type: "maintenance.meter_reading",
      id: wrong
    )
    _ = try await shop.recompute(wrong)
    #expect(try await total(shop, meter) == "0.000")
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    try await shop.read(meter, "1001", daysAgo: 7)
  }

  @Test func `a correction and a withdrawal leave a job that recomputes the plans`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let reading = try await shop.read(meter, "10", daysAgo: 2)
    try await correct(shop, reading, "11")
    _ = try await shop.shop.records.delete(
      shop.shop.acting("user"),
      type: "maintenance.meter_reading",
      id: reading
    )
    let kinds = try await shop.shop.engine.superuser.rows(
      "select j.kind from core.job j where j.company_id = \(shop.shop.company.id) and j.cause_id = \(reading)",
      String.self
    )
    #expect(kinds.sorted() == ["pm.plan", "pm.recompute", "pm.recompute"])
  }

  @Test func `an import of readings is held to the same rule, line by line`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let text = """
      meter_id,value,taken_at
      \(meter.text),100,2026-01-01T08:00:00Z
      \(meter.text),90,2026-01-02T08:00:00Z
      """
    let refusal = try await refused {
      try await TemporaryFile.with(text) { path in
        _ = try await RecordImporter(
          shop.shop.engine.operators,
          Records(shop.shop.engine.operators, catalogue: shop.shop.engine.catalogue)
        ).run(
          shop.shop.acting("admin"),
          path: path,
          plan: ImportPlan(type: "maintenance.meter_reading")
        )
      }
    }
    #expect(refusal.code == .invalidImport && refusal.message.contains("line 3: 90 h is below"))
  }

  private func correct(_ shop: PlanShop, _ reading: UUID, _ value: String) async throws {
    _ = try await shop.shop.records.update(
      shop.shop.acting("user"),
      type: "maintenance.meter_reading",
      id: reading,
      fields: ["value": .string(value)]
    )
  }

  private func total(_ shop: PlanShop, _ meter: UUID) async throws -> String? {
    try await shop.shop.records.show(shop.shop.acting("user"), type: "maintenance.meter", id: meter)[
      "total_units"
    ]?
    .number?.text
  }
}
