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

/// Demo data of the macros app.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MacroDemoTests {
  @Test func `the small scale has the rows that were promised`() async throws {
    try await DemoHouse.loaded(["macros"]) { engine in
      try await DemoHouse.expect(["macros.entry": 120], in: engine)
    }
  }

  @Test func `a guest finds three meals of today, seven full days and three presets`() async throws {
    try await DemoHouse.visiting { engine, _, guest in
      let macros = Macros(engine.services, engine.records)
      let today = try await macros.today(guest)
      #expect(try await macros.day(guest, today).entries == 3)
      let days = try await macros.range(guest, from: today.adding(days: -7), to: today.adding(days: -1))
      #expect(days.count == 7 && days.allSatisfy { $0.entries > 2 })
      #expect(try await engine.records.list(guest, type: "macros.preset", RecordQuery()).count == 3)
      let summary = try await macros.summary(guest, from: today.adding(days: -7), to: today.adding(days: -1))
      let average = try await engine.superuser.value(
        """
        select round(avg(x.kcal), 1) from (
          select sum(e.kcal) as kcal from macros.entry e
          where e.company_id = \(guest.company.id) and e.local_date < \(today)
          group by e.local_date
        ) x
        """,
        as: ExactDecimal.self
      )
      #expect(summary.averageKcal == average && summary.daysLogged == 7)
    }
  }

  @Test func `meals move to today`() async throws {
    try await DemoHouse.visiting { engine, _, guest in
      let moved = try await DemoHouse.refreshed(
        engine,
        guest,
        "update macros.entry set eaten_at = eaten_at - interval '10 days', local_date = local_date - 10"
      )
      #expect(moved == 31)
      let macros = Macros(engine.services, engine.records)
      #expect(try await macros.day(guest, try await macros.today(guest)).entries == 3)
      let writing = try await refused {
        _ = try await engine.records.create(guest, type: "macros.entry", fields: ["fat_g": "1"])
      }
      #expect(writing.category == .denied)
    }
  }
}
