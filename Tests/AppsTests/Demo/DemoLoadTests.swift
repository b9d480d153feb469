import Apps
import Demo
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Demo data: as many rows as promised, the same in every run, and in order by every check there is.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DemoLoadTests {
  private func request(_ apps: Set<String>? = nil, number: Int = 1) throws -> DemoLoad.Request {
    var request = DemoLoad.Request(scale: .S)
    request.number = number
    request.apps = apps
    request.day = try LocalDate(parsing: "2026-07-01")
    return request
  }

  /// Loads into a database of its own and hands it over.
  private func loaded<Value>(_ body: (Hall) async throws -> Value) async throws -> Value {
    let hall = try await Hall.open(TestDatabase.make())
    _ = try await DemoLoad(hall.operators).run(request())
    let value = try await body(hall)
    await hall.close()
    return value
  }

  private func count(_ hall: Hall, _ table: String) async throws -> Int {
    try await hall.superuser.value(SQL(trusted: "select count(*) from \(table)"), as: Int.self)
  }

  /// Every row of the load's tables, told by its digest.
  private func digests(_ hall: Hall) async throws -> [String: String] {
    var digests: [String: String] = [:]
    let tables =
      hall.catalogue.types.map(\.definition.table) + [
        "core.history", "core.feed", "core.membership", "solar.sample",
      ]
    for table in tables {
      let stamped = ["core.membership": " - 'created_at' - 'updated_at'", "core.feed": " - 'changed_at'"]
      let ignored = stamped[table] ?? ""
      let omitted = table == "solar.sample" ? "" : ignored
      digests[table] = try await hall.superuser.value(
        SQL(
          trusted: "select coalesce(md5(string_agg(r, '' order by r)), '') from "
            + "(select (to_jsonb(t)\(omitted))::text as r from \(table) t) x"
        ),
        as: String.self
      )
    }
    return digests
  }

  @Test func `the small scale has the rows that were promised, and a second run adds none`() async throws {
    try await loaded { hall in
      let promised = [
        "core.company where kind <> 'system'": 3, "core.app_user": 12, "core.membership": 14,
        "core.invite": 6,
        "maintenance.machine": 9, "maintenance.category": 24, "maintenance.entry": 60,
        "maintenance.time_entry": 90,
        "inventory.item": 40, "inventory.claim": 4, "macros.entry": 120, "solar.site": 2,
        "solar.recording": 40,
        "trips.plan": 3, "trips.stop": 15, "trips.conversation": 5, "trips.message": 60, "core.job": 30,
      ]
      for (table, rows) in promised { #expect(try await count(hall, table) == rows, "\(table)") }
      let samples = try await count(hall, "solar.sample")
      #expect((1_440..<2 * 1_440).contains(samples), "a day at a minute each, less five gaps: \(samples)")
      let before = try await digests(hall)
      let again = try await DemoLoad(hall.operators).run(request())
      #expect(again.records == 0 && again.samples == 0 && again.companies == 3)
      #expect(try await digests(hall) == before)
    }
  }

  @Test func `as many days of samples are made as are asked for`() async throws {
    let hall = try await Hall.open(TestDatabase.make())
    var request = try request(["solar"])
    request.solarDays = 2
    let made = try await DemoLoad(hall.operators).run(request).samples
    #expect((2 * 2_300..<2 * 2 * 1_440).contains(made), "two sites, a minute each, less five gaps: \(made)")
    #expect(try await count(hall, "solar.sample") == made)
    #expect(try await DemoLoad(hall.operators).run(request).samples == 0)
    await hall.close()
  }

  @Test func `another database gets the same rows, ids and hashes included`() async throws {
    let first = try await loaded { try await digests($0) }
    let second = try await loaded { try await digests($0) }
    #expect(first == second)
  }

  @Test func `another number makes other companies beside`() async throws {
    try await loaded { hall in
      let outcome = try await DemoLoad(hall.operators).run(request(["inventory"], number: 2))
      #expect(outcome.records == 44)
      #expect(try await count(hall, "core.company where kind <> 'system'") == 6)
      #expect(try await count(hall, "maintenance.entry") == 60, "only what was asked for")
    }
  }

  @Test func `a larger load makes its own companies beside those of a smaller one`() async throws {
    try await loaded { hall in
      var larger = DemoLoad.Request(scale: .M)
      larger.apps = ["trips"]
      larger.day = try request().day
      let outcome = try await DemoLoad(hall.operators).run(larger)
      #expect(outcome.companies == 40 && outcome.records == 300 + 2_400 + 600 + 9_000)
      #expect(try await count(hall, "core.company where kind <> 'system'") == 43)
    }
  }

  @Test func `every record's history verifies, and its feed is there`() async throws {
    try await loaded { hall in
      let companies = try await Companies(hall.operators).list()
      for company in companies {
        let shop = Workshop(hall: hall, company: company, members: [:], machine: UUID(), category: UUID())
        let faults = try await Integrity(shop: shop).faults(withNotices: false)
        #expect(faults == [], "\(company.slug): \(faults)")
      }
    }
  }

  @Test func `what was loaded can be worked on`() async throws {
    try await loaded { hall in
      let company = try #require(try await Companies(hall.operators).list().first)
      let operatorContext = ActingContext(company: company, actor: .operator("tests"), user: nil)
      var query = RecordQuery()
      query.filters = [("status", "pending")]
      let entry = try #require(
        try await hall.records.list(operatorContext, type: "maintenance.entry", query).first
      )
      let id = try #require(entry.text("id").flatMap(UUID.init(uuidString:)))
      let answer = try await hall.records.transition(
        operatorContext,
        type: "maintenance.entry",
        id: id,
        request: TransitionRequest("start")
      )
      #expect(answer.status == "in_progress" && answer.version == 2)
    }
  }

  @Test func `shares are as the requirements say`() async throws {
    try await loaded { hall in
      let statuses = try await hall.superuser.rows(
        "select e.status, count(*)::integer from maintenance.entry e group by e.status",
        String.self,
        Int.self
      )
      let shares = Dictionary(uniqueKeysWithValues: statuses.map { ($0.0, $0.1) })
      #expect((shares["completed"] ?? 0) > (shares["pending"] ?? 0))
      #expect((shares["pending"] ?? 0) > (shares["in_progress"] ?? 0) && (shares["in_progress"] ?? 0) > 0)
      let night = try await hall.superuser.value(
        "select count(*) from solar.sample s where s.inverter_kw = 0",
        as: Int.self
      )
      let day = try await hall.superuser.value(
        "select count(*) from solar.sample s where s.inverter_kw > 0",
        as: Int.self
      )
      #expect(night > 0 && day > 0)
    }
  }

  @Test func `an app without demo data is refused with the one that was meant`() async throws {
    let error = try await refused {
      _ = try await DemoLoad(try await Hall.shared().operators).run(request(["inventry"]))
    }
    #expect(error.code == .notFound && error.hint == "did you mean inventory?")
  }
}
