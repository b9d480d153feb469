import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A company with preventive maintenance.
struct PlanShop: Sendable {
  let shop: Workshop

  static func open() async throws -> PlanShop {
    PlanShop(shop: try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["admin", "user"]))
  }

  /// Creates a plan with a default title and category, and the given fields.
  func plan(_ fields: JSONObject) async throws -> UUID {
    var all: JSONObject = [
      "machine_id": .id(shop.machine), "category_id": .id(shop.category), "title": "Oil change",
    ]
    for (name, value) in fields.members { all[name] = value }
    return try await shop.records.create(shop.acting("admin"), type: "maintenance.pm_plan", fields: all).id
  }

  func show(_ plan: UUID) async throws -> JSONObject {
    try await shop.records.show(shop.acting("user"), type: "maintenance.pm_plan", id: plan)
  }

  func meter() async throws -> UUID {
    let fields: JSONObject = ["machine_id": .id(shop.machine), "name": "Hours", "unit": "h"]
    return try await shop.records.create(shop.acting("admin"), type: "maintenance.meter", fields: fields).id
  }

  /// Reads a meter at the start of a day in the past, plus a number of hours.
  @discardableResult
  func read(
    _ meter: UUID,
    _ value: String,
    daysAgo: Int32,
    hours: Int32 = 0,
    reset: Bool = false,
    first: String? = nil
  ) async throws -> UUID {
    let at = try await shop.engine.superuser.value(
      "select date_trunc('day', now()) - make_interval(days => \(daysAgo)) + make_interval(hours => \(hours))",
      as: Instant.self
    )
    var fields: JSONObject = [
      "meter_id": .id(meter), "value": .string(value), "taken_at": .string(at.description),
      "is_reset": .bool(reset),
    ]
    if let first { fields["first_value"] = .string(first) }
    return try await shop.records
      .create(shop.acting("user"), type: "maintenance.meter_reading", fields: fields).id
  }

  /// Today's date in the company's time zone, plus a number of days.
  func day(_ later: Int32) async throws -> String {
    try await shop.engine.superuser.value(
      "select ((now() at time zone 'Europe/Stockholm')::date + \(later))::text",
      as: String.self
    )
  }

  /// Runs the work of the job `pm.plan`.
  func makeEntries() async throws -> Int {
    let acting = shop.system
    let plans = MaintenancePlans(shop.records)
    return try await shop.records.perform(acting) { work in
      try plans.makeDueEntries(acting, after: nil, limit: 100, in: &work).made
    }
  }

  /// Runs the work of the job `pm.advance`.
  func advance(_ entry: UUID) async throws -> Bool {
    let acting = shop.system
    let plans = MaintenancePlans(shop.records)
    return try await shop.records.perform(acting) { work in
      try plans.advance(acting, entry: entry, in: &work)
    }
  }

  /// Runs the first step of the job `pm.recompute`.
  func recompute(_ reading: UUID) async throws -> Int {
    let system = shop.system
    let plans = MaintenancePlans(shop.records)
    return try await shop.records.perform(system) { work in
      try plans.recompute(system, reading: reading, in: &work)
    }
  }

  /// Creates due entries, and returns the one of a plan.
  func made(_ plan: UUID) async throws -> UUID {
    _ = try await makeEntries()
    let open = try await entries(of: plan).last { $0["status_category"] != "done" }
    return try #require(open?["id"]?.string.flatMap(UUID.init(uuidString:)))
  }

  /// The entries of a plan, oldest first.
  func entries(of plan: UUID) async throws -> [JSONObject] {
    var query = RecordQuery()
    query.filters = [("plan_id", plan.text)]
    query.sort = "created_at"
    return try await shop.records.list(shop.acting("user"), type: "maintenance.entry", query)
  }

  func take(_ transition: String, _ id: UUID, type: String = "maintenance.entry") async throws {
    _ = try await shop.records.transition(
      shop.acting("admin"),
      type: type,
      id: id,
      request: TransitionRequest(transition, comment: "because")
    )
  }

  func complete(_ entry: UUID) async throws {
    try await take("start", entry)
    try await take("complete", entry)
  }

  /// Writes columns of an entry without the engine.
  func set(_ entry: UUID, _ assignments: SQL) async throws {
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("set local fettle.write = 'engine'")
      try tx.execute("update maintenance.entry set \(assignments) where id = \(entry)")
    }
  }
}
