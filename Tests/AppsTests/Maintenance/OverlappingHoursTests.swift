import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Hours of one person that overlap, and hours in the future.
@Suite(.timeLimit(.minutes(60))) struct OverlappingHoursTests {
  @Test(arguments: [
    ("2026-01-15", "08:00", "12:00", true), ("2026-01-15", "11:59", "13:00", true),
    ("2026-01-15", "06:00", "08:01", true), ("2026-01-15", "09:00", "10:00", true),
    ("2026-01-15", "06:00", "18:00", true), ("2026-01-15", "12:00", "13:00", false),
    ("2026-01-15", "06:00", "08:00", false), ("2026-01-14", "22:00", "08:00", false),
    ("2026-01-14", "22:00", "08:01", true), ("2026-01-16", "08:00", "12:00", false),
  ])
  func `hours of a member overlap others or not`(_ date: String, _ from: String, _ to: String, overlaps: Bool)
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    try await Self.log("2026-01-15", "08:00", "12:00", on: shop.entry(), shop)
    // Also on another entry.
    let entry = try await shop.entry()
    guard overlaps else {
      try await Self.log(date, from, to, on: entry, shop)
      return
    }
    let error = try await refused { try await Self.log(date, from, to, on: entry, shop) }
    #expect(error.code == .overlappingHours)
    #expect(error.message.contains("08:00 to 12:00 of 2026-01-15"), "\(error.message)")
    // Another person may work at the same time.
    try await Self.log(date, from, to, on: entry, shop, guest: "Per")
    try await Self.log(date, from, to, on: entry, shop, guest: "Pål")
    let twice = try await refused { try await Self.log(date, from, to, on: entry, shop, guest: " per ") }
    #expect(twice.code == .overlappingHours)
  }

  @Test func `hours of a night in which the clocks go back are compared as they passed`() async throws {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let entry = try await shop.entry()
    try await Self.log("2026-10-24", "22:00", "02:59", on: entry, shop)
    // The second 02:30 of the night is after the end.
    #expect(
      try await refused { try await Self.log("2026-10-25", "02:00", "04:00", on: entry, shop) }.code
        == .overlappingHours
    )
    try await Self.log("2026-10-25", "03:00", "04:00", on: entry, shop)
  }

  @Test func `an edit is held to the same rule, and keeps its own hours`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    let morning = try await Self.log("2026-01-15", "08:00", "12:00", on: entry, shop)
    let noon = try await Self.log("2026-01-15", "13:00", "15:00", on: entry, shop)
    func edit(_ id: UUID, _ fields: JSONObject) async throws {
      _ = try await shop.records.update(
        shop.acting("user"),
        type: "maintenance.time_entry",
        id: id,
        fields: fields
      )
    }
    #expect(try await refused { try await edit(noon, ["start_time": "11:00"]) }.code == .overlappingHours)
    try await edit(morning, ["end_time": "12:30"])
    #expect(try await refused { try await edit(morning, ["end_time": "13:01"]) }.code == .overlappingHours)
    // Deleted hours do not count.
    _ = try await shop.records.delete(shop.acting("user"), type: "maintenance.time_entry", id: noon)
    try await edit(morning, ["end_time": "16:00"])
  }

  @Test func `hours are compared by their local times, also after the company has moved to another zone`()
    async throws
  {
    let shop = try await Workshop.open(timeZone: "Europe/Stockholm", roles: ["user"])
    let entry = try await shop.entry()
    try await Self.log("2026-01-15", "08:00", "12:00", on: entry, shop)
    let noon = try await Self.log("2026-01-15", "12:00", "13:00", on: entry, shop)
    let company = shop.company.id
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("update core.company set timezone = 'Europe/Kyiv' where id = \(company)")
    }
    _ = try await shop.records.update(
      shop.acting("user"),
      type: "maintenance.time_entry",
      id: noon,
      fields: ["has_lunch": true]
    )
    #expect(
      try await refused { try await Self.log("2026-01-15", "11:30", "12:30", on: entry, shop) }.code
        == .overlappingHours
    )
    try await Self.log("2026-01-15", "07:00", "08:00", on: entry, shop)
  }

  @Test func `of overlapping hours logged at once, one is written`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    let outcomes = await withTaskGroup(of: String.self) { group in
      for minute in 0..<8 {
        group.addTask {
          do {
            try await Self.log("2026-01-15", "08:0\(minute)", "12:00", on: entry, shop)
            return "logged"
          } catch {
            return (error as? DomainError)?.code.rawValue ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 == "logged" }.count == 1)
    #expect(outcomes.filter { $0 == "overlapping_hours" }.count == 7, "\(outcomes)")
  }

  @Test func `an import is held to the same rule, line by line`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    let text = """
      entry_id,user_name,work_date,start_time,end_time
      \(entry.text),Per,2026-01-15,08:00,12:00
      \(entry.text),Per,2026-01-15,11:00,13:00
      """
    let refusal = try await refused {
      try await TemporaryFile.with(text) { path in
        _ = try await RecordImporter(shop.engine.services, shop.records)
          .run(shop.operatorContext, path: path, plan: ImportPlan(type: "maintenance.time_entry"))
      }
    }
    #expect(refusal.message.contains("line 3: Per worked from 08:00 to 12:00"), "\(refusal.message)")
  }

  @Test func `a company lets overlapping hours pass, and its report lists them`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user"])
    let companies = Companies(shop.engine.services)
    let name = "maintenance.overlapping_hours"
    #expect(
      try await companies.settings(shop.acting("admin")).first { $0.setting.name == name }?.value == "refuse"
    )
    #expect(
      try await refused { try await companies.choose(shop.acting("user"), name, "warn") }.code == .forbidden
    )
    #expect(
      try await refused { try await companies.choose(shop.acting("admin"), name, "maybe") }.code
        == .invalidInput
    )
    #expect(
      try await refused { try await companies.choose(shop.acting("admin"), "other", "warn") }.code
        == .notFound
    )
    try await companies.choose(shop.acting("admin"), name, "warn")
    let entry = try await shop.entry()
    try await Self.log("2026-01-15", "08:00", "12:00", on: entry, shop)
    try await Self.log("2026-01-15", "11:00", "13:00", on: entry, shop)
    #expect(
      try await shop.report(
        "v1_overlapping_hours",
        "person, work_date, start_time, end_time, other_start, other_end, overlapping_hours"
      ) == ["Member user|2026-01-15|08:00:00|12:00:00|11:00:00|13:00:00|1.00"]
    )
    try await companies.choose(shop.acting("admin"), name, "refuse")
    #expect(
      try await refused { try await Self.log("2026-01-15", "12:30", "14:00", on: entry, shop) }.code
        == .overlappingHours
    )
  }

  @Test func `permitted overlaps are no faults later, and are corrected but not made again`() async throws {
    let shop = try await Workshop.open(roles: ["admin", "user"])
    let companies = Companies(shop.engine.services)
    let (type, name) = ("maintenance.time_entry", "maintenance.overlapping_hours")
    try await companies.choose(shop.acting("admin"), name, "warn")
    let entry = try await shop.entry()
    try await Self.log("2026-01-15", "08:00", "12:00", on: entry, shop)
    let id = try await Self.log("2026-01-15", "11:00", "13:00", on: entry, shop)
    try await Self.log("2026-01-15", "11:00", "13:00", on: entry, shop, guest: "Per")
    try await companies.choose(shop.acting("admin"), name, "refuse")
    let verification = Verification(shop.engine.operators, catalogue: shop.engine.catalogue)
    #expect(try await verification.run([shop.company]).findings == [])
    let owner = shop.acting("owner")
    _ = try await shop.records.update(owner, type: type, id: id, fields: ["has_lunch": true])
    for change in [["end_time": "12:30"], ["user_id": nil, "user_name": "Per"]] as [JSONObject] {
      let error = try await refused {
        _ = try await shop.records.update(owner, type: type, id: id, fields: change)
      }
      #expect(error.code == .overlappingHours, "\(change)")
    }
    // Deleted ones do not come back as an overlap.
    _ = try await shop.records.delete(owner, type: type, id: id)
    let error = try await refused { _ = try await shop.records.restore(owner, type: type, id: id) }
    #expect(error.code == .overlappingHours)
  }

  @Test func `hours that end in the future are refused, those of now are not`() async throws {
    let shop = try await Workshop.open(roles: ["user"])
    let entry = try await shop.entry()
    let (day, later, earlier) = try #require(
      try await shop.engine.superuser.first(
        """
        select ((now() at time zone 'UTC')::date + 1)::text,
          to_char(now() at time zone 'UTC' + interval '20 minutes', 'HH24:MI'),
          to_char(now() at time zone 'UTC' - interval '20 minutes', 'HH24:MI')
        """,
        String.self,
        String.self,
        String.self
      )
    )
    #expect(
      try await refused { try await Self.log(day, "08:00", "09:00", on: entry, shop) }.code == .futureReading
    )
    let yesterday = try LocalDate(parsing: day).adding(days: -2).description
    // A shift of yesterday that ends today: a little ago, or in a little while.
    if later < "16:00", later > "00:40" {
      #expect(
        try await refused { try await Self.log(yesterday, "23:59", later, on: entry, shop) }.code
          == .futureReading
      )
      try await Self.log(yesterday, "23:59", earlier, on: entry, shop)
    }
  }

  @discardableResult
  private static func log(
    _ date: String,
    _ from: String,
    _ to: String,
    on entry: UUID,
    _ shop: Workshop,
    guest: String? = nil
  ) async throws -> UUID {
    let acting = shop.acting("user")
    var fields: JSONObject = [
      "entry_id": .id(entry), "work_date": .string(date), "start_time": .string(from),
      "end_time": .string(to),
    ]
    if let guest {
      fields["user_name"] = .string(guest)
    } else {
      fields["user_id"] = .id(acting.user ?? UUID())
    }
    return try await shop.records.create(acting, type: "maintenance.time_entry", fields: fields).id
  }
}
