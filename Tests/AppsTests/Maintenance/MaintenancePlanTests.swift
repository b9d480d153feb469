import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Preventive maintenance: due dates of plans, the entries they create, and the effect of completing those.
@Suite(.timeLimit(.minutes(60))) struct MaintenancePlanTests {
  @Test func `a new plan is due an interval after it was made, by days and by its meter`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "100", daysAgo: 3)
    try await shop.read(meter, "180.5", daysAgo: 2)
    let plan = try await shop.plan(["every_days": 90, "meter_id": .id(meter), "every_units": "250"])
    let shown = try await shop.show(plan)
    #expect(shown["next_due_on"]?.string == (try await shop.day(90)))
    // As the meter will show it, not as the units counted since its first reading.
    #expect(shown["next_due_reading"]?.number?.text == "430.500")
    #expect(
      shown["meter_reading"]?.number?.text == "180.500" && shown["total_units"]?.number?.text == "80.500"
    )
    #expect(shown["is_due"]?.bool == false)
    #expect(shown["machine_code"] == "RM-001" && shown["meter_name"] == "Hours")
    let refused = try await refused {
      _ = try await shop.plan(["every_days": 90, "next_due_on": "2030-01-01"])
    }
    #expect(refused.code == .fieldNotEditable)
  }

  @Test func `a plan that is due gets one entry with all that it says`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5, "estimated_hours": "1.5"])
    #expect(try await shop.show(plan)["needs_entry"]?.bool == true)
    #expect(try await shop.show(plan)["is_due"]?.bool == false, "it is due in five days")
    #expect(try await shop.makeEntries() == 1)
    #expect(try await shop.makeEntries() == 0)
    let entry = try #require(try await shop.entries(of: plan).first)
    #expect(entry["description"] == "Oil change")
    #expect(entry["estimated_hours"]?.number?.text == "1.50")
    #expect(entry["due_on"]?.string == (try await shop.day(5)))
    #expect(entry["planned_on"] == entry["due_on"])
    #expect(entry["category_name"] == "Engine" && entry["status"] == "pending")
    #expect(entry["created_by"] == .null)
    #expect(try await shop.show(plan)["has_open_entry"]?.bool == true)
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }

  @Test func `runs at once make one entry for each plan together`() async throws {
    let shop = try await PlanShop.open()
    for number in 0..<10 { _ = try await shop.plan(["every_days": 5, "title": .string("Plan \(number)")]) }
    let made = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 { group.addTask { try await shop.makeEntries() } }
      return try await group.reduce(0, +)
    }
    #expect(made == 10)
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }

  @Test func `anchored to completion, the next interval begins when the work is done`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 20, "lead_days": 20])
    let entry = try await shop.made(plan)
    try await shop.set(entry, "planned_on = planned_on - 15, due_on = due_on - 15")
    try await shop.complete(entry)
    #expect(try await shop.advance(entry) == true)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(20)))
    // A repetition has the same result.
    #expect(try await shop.advance(entry) == true)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(20)))
    let history = try await shop.shop.records.history(
      shop.shop.operatorContext,
      type: "maintenance.pm_plan",
      id: plan
    )
    #expect(history.last?.actorKind == "system")
  }

  @Test func `fixed, it begins when the work was due, and what lies behind is passed over`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 30, "anchor": "fixed", "lead_days": 30])
    let entry = try await shop.made(plan)
    // Simulates a due date a hundred days ago; a later postponement has no effect.
    let day = try await shop.day(-100)
    try await shop.set(entry, "planned_on = \(day)::text::date, due_on = \(day)::text::date + 50")
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(20)))
    try await shop.take("reopen", entry)
    try await shop.take("complete", entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(20)))
  }

  @Test func `done before it was due, a fixed plan is due one interval after that day`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 30, "anchor": "fixed", "lead_days": 30])
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(60)))
  }

  @Test(arguments: ["completion", "fixed"])
  func `a lead time as long as the interval opens no second entry for the same date`(anchor: String)
    async throws
  {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5, "lead_days": 7, "anchor": .string(anchor)])
    var dates: [String] = []
    // Each entry is done on the day on which it was made; then the next date is too far away.
    for _ in 0..<4 {
      guard try await shop.makeEntries() == 1 else { break }
      let entry = try #require(try await shop.entries(of: plan).last)
      dates.append(entry["planned_on"]?.string ?? "")
      let id = try #require(entry["id"]?.string.flatMap(UUID.init(uuidString:)))
      try await shop.complete(id)
      _ = try await shop.advance(id)
    }
    #expect(dates == [try await shop.day(5)])
    #expect(try await shop.show(plan)["next_due_on"]?.string == (try await shop.day(10)))
  }

  @Test func `a plan that is due stays due while its entry is open`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5])
    let entry = try await shop.made(plan)
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    try await shop.shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'engine'")
      try tx.execute("update maintenance.pm_plan set next_due_on = next_due_on - 5 where id = \(plan)")
    }
    let shown = try await shop.show(plan)
    #expect(shown["is_due"]?.bool == true && shown["needs_entry"]?.bool == false)
    try await shop.take("pause", plan, type: "maintenance.pm_plan")
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    _ = entry
  }

  @Test func `a meter counts on over resets, and its plan is due by what has run`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    try await shop.read(meter, "1000", daysAgo: 9)
    try await shop.read(meter, "1150", daysAgo: 8)
    // The meter is replaced, then reset once more: it counts from zero each time.
    try await shop.read(meter, "20", daysAgo: 7, reset: true, first: "0")
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "50.000")
    try await shop.read(meter, "12", daysAgo: 6, reset: true, first: "0")
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "30.000")
    try await shop.read(meter, "42", daysAgo: 5)
    let shown = try await shop.show(plan)
    #expect(shown["total_units"]?.number?.text == "212.000")
    #expect(shown["is_due"]?.bool == true)
    let entry = try await shop.made(plan)
    #expect(try await shop.entries(of: plan).first?["planned_units"]?.number?.text == "30.000")
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.text == "242.000")
    #expect(try await shop.show(plan)["next_due_on"] == .null)
  }

  @Test func `readings after the completion do not count for the next due date of the plan`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    try await shop.read(meter, "0", daysAgo: 9)
    try await shop.read(meter, "250", daysAgo: 8)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    try await shop.set(entry, "completed_at = date_trunc('day', now()) - interval '2 days'")
    // A reading at the time of completion counts, one a day later does not.
    try await shop.read(meter, "260", daysAgo: 2)
    try await shop.read(meter, "300", daysAgo: 1)
    #expect(try await shop.advance(entry))
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "460.000")
  }

  @Test func `a plan by meter is due when the meter has run to it, not before`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    try await shop.read(meter, "0", daysAgo: 9)
    try await shop.read(meter, "199.999", daysAgo: 8)
    #expect(try await shop.show(plan)["is_due"]?.bool == false)
    try await shop.read(meter, "200", daysAgo: 7)
    #expect(try await shop.show(plan)["is_due"]?.bool == true)
  }

  @Test func `of all entries of a plan opened again together one is, and each is told why not`() async throws
  {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5, "lead_days": 30])
    let first = try await shop.made(plan)
    try await shop.complete(first)
    _ = try await shop.advance(first)
    let second = try await shop.made(plan)
    try await shop.complete(second)
    var query = RecordQuery()
    query.filters = [("plan_id", plan.text)]
    // The table refuses the second one if both are written together, so each is retried alone.
    let outcome = try await shop.shop.records.transitionAll(
      shop.shop.acting("admin"),
      type: "maintenance.entry",
      where: query,
      request: TransitionRequest("reopen", comment: "leaks again")
    )
    #expect(outcome.done == 1)
    #expect(outcome.items.compactMap(\.code) == [.planHasOpenEntry])
    #expect(try await shop.entries(of: plan).filter { $0["status_category"] != "done" }.count == 1)
    #expect(try await Integrity(shop: shop.shop).faults() == [])
    for id in [first, second] {
      #expect(
        try await shop.shop.records.verify(shop.shop.operatorContext, type: "maintenance.entry", id: id)
          == nil
      )
    }
  }

  @Test(arguments: ["1200", "3"])
  func `a replaced meter makes no entry by itself, whatever it shows`(shows: String) async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 200])
    try await shop.read(meter, "1000", daysAgo: 9)
    try await shop.read(meter, "1150", daysAgo: 8)
    try await shop.read(meter, shows, daysAgo: 7, reset: true)
    let shown = try await shop.show(plan)
    #expect(shown["total_units"]?.number?.text == "150.000" && shown["is_due"]?.bool == false)
    let due = try #require(Double(shows)) + 50
    #expect(shown["next_due_reading"]?.number?.approximate == due, "50 of the 200 are left")
    #expect(try await shop.makeEntries() == 0)
    try await shop.read(meter, "\(due)", daysAgo: 6)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_reading"]?.number?.approximate == due + 200)
  }

  @Test func `a new counter begins with its first value, which is no higher than the reading`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    try await shop.read(meter, "1000", daysAgo: 9)
    let above = try await refused {
      try await shop.read(meter, "20", daysAgo: 8, reset: true, first: "21")
    }
    #expect(above.code == .invalidNumber)
    let unsaid = try await refused { try await shop.read(meter, "1020", daysAgo: 8, first: "0") }
    #expect(unsaid.code == .invalidInput)
    try await shop.read(meter, "20", daysAgo: 8, reset: true, first: "15")
    let shown = try await shop.shop.records.show(
      shop.shop.acting("user"),
      type: "maintenance.meter",
      id: meter
    )
    #expect(shown["total_units"]?.number?.text == "5.000")
  }

  @Test func `a fixed plan by meter counts on from where it was due`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    let plan = try await shop.plan(["meter_id": .id(meter), "every_units": 100, "anchor": "fixed"])
    try await shop.read(meter, "0", daysAgo: 9)
    try await shop.read(meter, "330", daysAgo: 5)
    let entry = try await shop.made(plan)
    try await shop.complete(entry)
    _ = try await shop.advance(entry)
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "400.000")
  }

  @Test func `an entry cannot be opened again while its plan has a newer one`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5, "lead_days": 30])
    let first = try await shop.made(plan)
    try await shop.complete(first)
    _ = try await shop.advance(first)
    let second = try await shop.made(plan)
    #expect(first != second)
    let refused = try await refused { try await shop.take("reopen", first) }
    #expect(refused.code == .planHasOpenEntry)
    try await shop.complete(second)
    try await shop.take("reopen", first)
    // The later completion of the older one does not set the plan back.
    _ = try await shop.advance(second)
    #expect(try await shop.show(plan)["has_open_entry"]?.bool == true)
  }

  @Test func `a paused plan, an ended one and one of a retired machine make nothing`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5])
    try await shop.take("pause", plan, type: "maintenance.pm_plan")
    #expect(try await shop.makeEntries() == 0)
    try await shop.take("resume", plan, type: "maintenance.pm_plan")
    try await shop.take("retire", shop.shop.machine, type: "maintenance.machine")
    #expect(try await shop.makeEntries() == 0)
    let other = try await PlanShop.open()
    let ended = try await other.plan(["every_days": 5])
    try await other.take("end", ended, type: "maintenance.pm_plan")
    #expect(try await other.makeEntries() == 0)
  }

  @Test func `another interval moves what is due, and nothing else does`() async throws {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 30])
    func edit(_ fields: JSONObject) async throws -> String? {
      _ = try await shop.shop.records.update(
        shop.shop.acting("admin"),
        type: "maintenance.pm_plan",
        id: plan,
        fields: fields
      )
      return try await shop.show(plan)["next_due_on"]?.string
    }
    #expect(try await edit(["title": "Oil and filter"]) == (try await shop.day(30)))
    #expect(try await edit(["every_days": 60]) == (try await shop.day(60)))
    let meter = try await shop.meter()
    try await shop.read(meter, "7", daysAgo: 1)
    #expect(try await edit(["meter_id": .id(meter), "every_units": 10]) == (try await shop.day(60)))
    #expect(try await shop.show(plan)["next_due_units"]?.number?.text == "17.000")
    #expect(try await edit(["every_days": .null]) == nil)
    #expect(try await edit(["every_days": 7]) == (try await shop.day(7)))
  }

  @Test func `an invalid plan or reading is refused`() async throws {
    let shop = try await PlanShop.open()
    let meter = try await shop.meter()
    #expect(try await refused { try await shop.read(meter, "5", daysAgo: -1) }.code == .futureReading)
    #expect(try await refused { try await shop.read(meter, "-5", daysAgo: 1) }.code == .invalidInput)
    #expect(try await refused { _ = try await shop.plan([:]) }.code == .invalidInput)
    #expect(try await refused { _ = try await shop.plan(["every_units": 5]) }.code == .invalidInput)
    let truck = try await shop.shop.records.create(
      shop.shop.operatorContext,
      type: "maintenance.machine",
      fields: ["code": "TR-1", "name": "Truck"]
    ).id
    let tyres = try await shop.shop.records.create(
      shop.shop.operatorContext,
      type: "maintenance.category",
      fields: ["name": "Tyres", "machine_id": .id(truck)]
    ).id
    let refusal = try await refused { _ = try await shop.plan(["every_days": 5, "category_id": .id(tyres)]) }
    #expect(refusal.code == .categoryOfOtherMachine)
    try await shop.read(meter, "5", daysAgo: 1)
    #expect(try await refused { try await shop.read(meter, "6", daysAgo: 1) }.code == .alreadyExists)
  }

  @Test func `a visit that was done in part leaves the rest as an entry, and the plan waits for it`()
    async throws
  {
    let shop = try await PlanShop.open()
    let plan = try await shop.plan(["every_days": 5, "estimated_hours": 4])
    let entry = try await shop.made(plan)
    try await shop.take("start", entry)
    let acting = shop.shop.acting("user")
    let refusal = try await refused {
      _ = try await shop.shop.records.split(acting, entry: entry, rest: ["estimated_hours": -1], comment: nil)
    }
    #expect(refusal.code == .invalidInput)
    #expect(try await shop.entries(of: plan).map { $0["status"] } == ["in_progress"])
    let answer = try await shop.shop.records.split(
      acting,
      entry: entry,
      rest: ["description": "Second filter", "estimated_hours": 1],
      comment: "no parts"
    )
    let entries = try await shop.entries(of: plan)
    #expect(entries.map { $0["status"] } == ["completed", "pending"])
    #expect(entries[1]["split_from"] == .id(entry) && entries[1]["description"] == "Second filter")
    #expect(entries[1]["estimated_hours"]?.number?.text == "1.00")
    #expect(try await shop.advance(entry) == false)
    try await shop.complete(answer.rest.id)
    #expect(try await shop.advance(answer.rest.id) == true)
    #expect(try await Integrity(shop: shop.shop).faults() == [])
  }
}
