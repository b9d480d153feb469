import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Concurrent commands on one record.
@Suite struct ConcurrencyTests {
  @Test(arguments: 1...3) func `of twenty starts of one entry one succeeds`(_ round: Int) async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let before = try await shop.rows()
    let outcomes = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          do {
            try await shop.take("start", entry, as: number.isMultiple(of: 2) ? "user" : "admin")
            return "started"
          } catch {
            return (error as? DomainError)?.code.rawValue ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: [:]) { counts, outcome in counts[outcome, default: 0] += 1 }
    }
    #expect(outcomes == ["started": 1, "wrong_state": 19])
    #expect(try await shop.count("history", of: entry) == 2)
    #expect(try await shop.count("job", of: entry) == 1)
    let after = try await shop.rows()
    #expect(after[0] == before[0] + 1, "one row of history in the whole company")
    #expect(try await Integrity(shop: shop).faults() == [])
  }

  @Test func `of twenty edits of one version one succeeds`() async throws {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    let outcomes = await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          do {
            _ = try await shop.records.update(
              shop.acting("user"),
              type: "maintenance.entry",
              id: entry,
              fields: ["estimated_hours": .integer(number)],
              version: 1
            )
            return "edited"
          } catch {
            return (error as? DomainError)?.code.rawValue ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: [:]) { counts, outcome in counts[outcome, default: 0] += 1 }
    }
    #expect(outcomes == ["edited": 1, "stale": 19])
  }

  @Test func `the start and the end of a time entry changed at once still agree with its moments`()
    async throws
  {
    let shop = try await Workshop.open()
    let entry = try await shop.entry()
    for round in 0..<10 {
      let time = try await shop.records.create(
        shop.acting("owner"),
        type: "maintenance.time_entry",
        fields: [
          "entry_id": .id(entry), "user_name": .string("Guest \(UUID().uuidString)"),
          "work_date": "2026-01-15", "start_time": "08:00", "end_time": "12:00",
        ]
      ).id
      try await withThrowingTaskGroup { group in
        for change in [["start_time": "09:00"], ["end_time": "17:00"]] as [JSONObject] {
          group.addTask {
            _ = try await shop.records.update(
              shop.acting("owner"),
              type: "maintenance.time_entry",
              id: time,
              fields: change
            )
          }
        }
        try await group.waitForAll()
      }
      let hours = try await shop.engine.superuser.value(
        "select actual_hours::text from maintenance.time_entry where company_id = \(shop.company.id) and id = \(time)",
        as: String.self
      )
      #expect(hours == "8.00", "round \(round)")
    }
  }

  @Test func `a child is not put under a parent that is being deleted`() async throws {
    let shop = try await Workshop.open()
    for _ in 0..<10 {
      let entry = try await shop.entry()
      async let deleted: Void = shop.engine.superuser.transaction(.inside(shop.company.id, mode: .engine)) {
        tx in
        try tx.execute(
          "select from maintenance.entry where company_id = \(shop.company.id) and id = \(entry) for no key update"
        )
        try tx.execute(
          """
          update maintenance.entry set deleted_at = clock_timestamp()
          where company_id = \(shop.company.id) and id = \(entry)
          """
        )
      }
      async let logged = Self.log(entry, in: shop)
      _ = try await deleted
      let time = try await logged
      let late = try await shop.engine.superuser.value(
        """
        select count(*)
        from maintenance.time_entry t
        join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
        where t.company_id = \(shop.company.id) and t.entry_id = \(entry) and t.xmin::text::bigint > e.xmin::text::bigint
          and t.created_at > e.deleted_at
        """,
        as: Int64.self
      )
      #expect(late == 0, "\(time ?? "refused") came after the deletion")
    }
  }

  private static func log(_ entry: UUID, in shop: Workshop) async throws -> String? {
    do {
      return try await shop.records.create(
        shop.acting("user"),
        type: "maintenance.time_entry",
        fields: [
          "entry_id": .id(entry), "user_name": .string("Guest \(UUID().uuidString)"),
          "work_date": "2026-01-15", "start_time": "08:00", "end_time": "12:00",
        ]
      ).id.uuidString
    } catch let error as DomainError where error.code == .parentDeleted {
      return nil
    }
  }
}
