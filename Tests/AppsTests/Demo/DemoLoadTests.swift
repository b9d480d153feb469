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
@Suite(.serialized, .timeLimit(.minutes(60))) struct DemoLoadTests {
  /// Digests of every table of the load.
  private func digests(_ engine: EngineFixture) async throws -> [String: String] {
    let tables = try await engine.superuser.rows(
      """
      select format('%I.%I', c.table_schema, c.table_name)
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'company_id' and t.table_type = 'BASE TABLE'
        and c.table_schema in (select r.table_schema from core.record_type r)
      """,
      String.self
    )
    var digests: [String: String] = [:]
    for table in tables + ["core.history", "core.feed", "core.membership"] {
      let stamped = ["core.membership": " - 'created_at' - 'updated_at'", "core.feed": " - 'changed_at'"]
      digests[table] = try await engine.superuser.value(
        SQL(
          trusted: "select coalesce(md5(string_agg(r, '' order by r)), '') from "
            + "(select (to_jsonb(t)\(stamped[table] ?? ""))::text as r from \(table) t) x"
        ),
        as: String.self
      )
    }
    return digests
  }

  @Test func `the small scale has the rows that were promised, and a second run adds none`() async throws {
    try await DemoHouse.loaded { engine in
      let promised = [
        "core.company where kind <> 'system'": 3, "core.app_user": 12, "core.membership": 14,
        "core.invite": 6,
        "maintenance.machine": 9, "maintenance.category": 24, "maintenance.entry": 60,
        "maintenance.time_entry": 90,
        "core.job": 30,
      ]
      for (table, rows) in promised { #expect(try await DemoHouse.count(engine, table) == rows, "\(table)") }
      let before = try await digests(engine)
      let again = try await DemoHouse.load(engine, DemoHouse.request())
      #expect(again.records == 0 && again.samples == 0 && again.companies == 3)
      #expect(try await digests(engine) == before)
    }
  }

  @Test func `another database gets the same rows, ids and hashes included`() async throws {
    let first = try await DemoHouse.loaded { try await digests($0) }
    let second = try await DemoHouse.loaded { try await digests($0) }
    #expect(first == second)
  }

  @Test func `another number makes other companies beside`() async throws {
    try await DemoHouse.loaded { engine in
      let outcome = try await DemoHouse.load(
        engine,
        DemoHouse.request(["maintenance"], number: 2)
      )
      #expect(outcome.records == 183)
      #expect(try await DemoHouse.count(engine, "core.company where kind <> 'system'") == 6)
      #expect(try await DemoHouse.count(engine, "core.job") == 30, "only what was asked for")
    }
  }

  @Test func `every record's history verifies, and its feed is there`() async throws {
    try await DemoHouse.loaded { engine in
      let companies = try await Companies(engine.operators).list()
      for company in companies {
        let shop = Workshop(engine: engine, company: company, members: [:], machine: UUID(), category: UUID())
        let faults = try await Integrity(shop: shop).faults(withNotices: false)
        #expect(faults == [], "\(company.slug): \(faults)")
      }
    }
  }

  @Test func `what was loaded can be worked on`() async throws {
    try await DemoHouse.loaded { engine in
      let company = try #require(try await Companies(engine.operators).list().first)
      let operatorContext = ActingContext(company: company, actor: .operator("tests"), user: nil)
      var query = RecordQuery()
      query.filters = [("status", "pending")]
      let entry = try #require(
        try await engine.records.list(operatorContext, type: "maintenance.entry", query).first
      )
      let id = try #require(entry.text("id").flatMap(UUID.init(uuidString:)))
      let answer = try await engine.records.transition(
        operatorContext,
        type: "maintenance.entry",
        id: id,
        request: TransitionRequest("start")
      )
      #expect(answer.status == "in_progress" && answer.version == 2)
    }
  }

  @Test func `shares are as the requirements say`() async throws {
    try await DemoHouse.loaded { engine in
      let statuses = try await engine.superuser.rows(
        "select e.status, count(*)::integer from maintenance.entry e group by e.status",
        String.self,
        Int.self
      )
      let shares = Dictionary(uniqueKeysWithValues: statuses.map { ($0.0, $0.1) })
      #expect((shares["completed"] ?? 0) > (shares["pending"] ?? 0))
      #expect((shares["pending"] ?? 0) > (shares["in_progress"] ?? 0) && (shares["in_progress"] ?? 0) > 0)
    }
  }

  @Test func `an app without demo data is refused with the one that was meant`() async throws {
    let error = try await refused {
      _ = try await DemoHouse.load(try await EngineFixture.shared(), DemoHouse.request(["maintenence"]))
    }
    #expect(error.code == .notFound && error.hint == "did you mean maintenance?")
  }
}
