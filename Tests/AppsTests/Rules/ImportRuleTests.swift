import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Each line of a file is a single creation: with its computed values, and refused alone.
@Suite(.timeLimit(.minutes(60))) struct ImportRuleTests {
  private func load(
    _ shop: PlanShop,
    _ text: String,
    _ type: String,
    _ mapping: [(String, String)],
    fixed: [(String, String)] = [],
    skipsBad: Bool = false
  ) async throws -> ImportOutcome {
    try await TemporaryFile.with(text) { path in
      try await RecordImporter(shop.shop.engine.services, shop.shop.records).run(
        shop.shop.acting("admin"),
        path: path,
        plan: ImportPlan(
          type: type,
          mapping: mapping.map { (column: $0.0, heading: $0.1) },
          fixed: fixed.map { (column: $0.0, value: $0.1) },
          createsMissing: true,
          skipsBad: skipsBad
        )
      )
    }
  }

  @Test func `imported plans get their first due dates, and their entries come`() async throws {
    let shop = try await PlanShop.open()
    let (soon, late) = (try await shop.day(3), try await shop.day(40))
    let text = """
      title,machine,category,hours,starts
      Pump seals,RM-001,Mechanical,2,\(soon)
      Pressure test,RM-001,Electrical,1,\(late)
      Grease,RM-001,Mechanical,,
      """
    let outcome = try await load(
      shop,
      text,
      "maintenance.pm_plan",
      [
        ("title", "title"), ("machine", "machine"), ("category", "category"), ("estimated_hours", "hours"),
        ("starts_on", "starts"),
      ],
      fixed: [("every_days", "90")]
    )
    #expect(outcome.imported == 3)
    let plans = try await shop.shop.records.list(
      shop.shop.acting("user"),
      type: "maintenance.pm_plan",
      RecordQuery()
    )
    let due = Dictionary(plans.map { ($0["title"]?.string ?? "", $0["next_due_on"]?.string) }) { first, _ in
      first
    }
    #expect(due == ["Pump seals": soon, "Pressure test": late, "Grease": try await shop.day(90)])
    // An empty cell is a missing value, which has the column's default.
    #expect(plans.first { $0["title"] == "Grease" }?["estimated_hours"]?.displayText == "1.00")
    #expect(try await shop.makeEntries() == 1)
    #expect(try await Integrity(shop: shop.shop).faults(withNotices: false) == [])
  }

  @Test func `a plan starts at its given date, and goes on from the completed work`() async throws {
    let shop = try await PlanShop.open()
    let start = try await shop.day(2)
    let plan = try await shop.plan(["every_days": 30, "starts_on": .string(start), "anchor": "fixed"])
    #expect(try await shop.show(plan)["next_due_on"]?.string == start)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(32)))
    let late = try await refused {
      _ = try await shop.shop.records.update(
        shop.shop.acting("admin"),
        type: "maintenance.pm_plan",
        id: plan,
        fields: ["starts_on": "2030-01-01"]
      )
    }
    #expect(late.code == .fieldNotEditable)
  }

  @Test func `a line that PostgreSQL refuses is refused alone, with the code of a single creation`()
    async throws
  {
    let shop = try await PlanShop.open()
    let text = """
      machine,category,description,ref,priority
      RM-001,Engine,one,A-1,2
      RM-001,Engine,two,A-1,2
      RM-001,Engine,three,A-3,9
      RM-001,Engine,four,A-4,3
      """
    let mapping = [
      ("machine", "machine"), ("category", "category"), ("description", "description"),
      ("external_ref", "ref"), ("priority", "priority"),
    ]
    let error = try await refused { _ = try await load(shop, text, "maintenance.entry", mapping) }
    // Found before the first line is written; what PostgreSQL refuses is found only then.
    #expect(error.code == .invalidImport && error.details["lines"] == [3])
    #expect(error.details["codes"] == ["already_exists"])
    let outcome = try await load(shop, text, "maintenance.entry", mapping, skipsBad: true)
    #expect(outcome.imported == 2 && outcome.refused.map(\.line) == [3, 4])
    #expect(outcome.refused.map(\.code) == [.alreadyExists, .invalidInput])
    #expect(try await Integrity(shop: shop.shop).faults(withNotices: false) == [])
  }

  @Test func `an empty cell is a null, which a rule may replace`() async throws {
    let roof = try await Roof.open()
    try await roof.sample(secondsAgo: 30, kw: "4.25")
    let text = "site_id,type,value,taken_at\nRoof,auto,,\nRoof,manual,,2026-01-12T08:00:00Z\n"
    let outcome = try await TemporaryFile.with(text) { path in
      try await RecordImporter(roof.shop.engine.services, roof.shop.records).run(
        roof.shop.acting("admin"),
        path: path,
        plan: ImportPlan(type: "solar.recording", skipsBad: true)
      )
    }
    #expect(outcome.imported == 1 && outcome.refused.map(\.code) == [.missingFields])
    let found = try await roof.shop.records.list(
      roof.shop.acting("user"),
      type: "solar.recording",
      RecordQuery()
    )
    #expect(found.map { $0["value"]?.displayText } == ["4.250"])
    let dates = "machine_id,category_id,description,reported_on\nRM-001,Engine,leaks,\n"
    let orders = try await TemporaryFile.with(dates) { path in
      try await RecordImporter(roof.shop.engine.services, roof.shop.records).run(
        roof.shop.acting("admin"),
        path: path,
        plan: ImportPlan(type: "maintenance.entry", skipsBad: true)
      )
    }
    #expect(orders.imported == 0 && orders.refused.map(\.code) == [.missingFields])
  }

  @Test func `a record that a file creates by its name passes the rules of its type`() async throws {
    let shop = try await PlanShop.open()
    let long = String(repeating: "x", count: 10_001)
    let text = "machine,category,description\n\(long),Engine,one\nRM-001,Engine,two\n"
    let outcome = try await load(
      shop,
      text,
      "maintenance.entry",
      [("machine", "machine"), ("category", "category"), ("description", "description")],
      skipsBad: true
    )
    #expect(outcome.imported == 1 && outcome.refused.map(\.code) == [.valueTooLong])
  }

  @Test func `a line about a deleted record is refused like a single creation`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    _ = try await shop.shop.records.delete(shop.shop.acting("admin"), type: "maintenance.meter", id: meter)
    let text = "meter_id,value,taken_at\n\(meter.text),1,2026-01-01T08:00:00Z\n"
    let outcome = try await load(
      shop,
      text,
      "maintenance.meter_reading",
      [("meter_id", "meter_id"), ("value", "value"), ("taken_at", "taken_at")],
      skipsBad: true
    )
    #expect(outcome.imported == 0 && outcome.refused.map(\.code) == [.parentDeleted])
  }
}
