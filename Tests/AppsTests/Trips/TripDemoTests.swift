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

/// Demo data of the trips app.
@Suite(.serialized, .timeLimit(.minutes(60))) struct TripDemoTests {
  @Test func `the small scale has the rows that were promised`() async throws {
    try await DemoHouse.loaded(["trips"]) { engine in
      try await DemoHouse.expect(
        ["trips.plan": 3, "trips.stop": 15, "trips.conversation": 5, "trips.message": 60],
        in: engine
      )
    }
  }

  @Test func `a larger load makes its own companies beside those of a smaller one`() async throws {
    try await DemoHouse.loaded(["trips"]) { engine in
      var larger = DemoLoad.Request(scale: .M)
      larger.apps = ["trips"]
      larger.day = try DemoHouse.request().day
      let outcome = try await DemoHouse.load(engine, larger)
      #expect(outcome.companies == 40 && outcome.records == 300 + 2_400 + 600 + 9_000)
      #expect(try await DemoHouse.count(engine, "core.company where kind <> 'system'") == 43)
    }
  }

  @Test func `a guest finds a trip that is under way`() async throws {
    try await DemoHouse.visiting { engine, _, guest in
      let plans = try await engine.records.list(guest, type: "trips.plan", RecordQuery())
      #expect(plans.map { $0.text("status") } == ["active"])
      #expect(try await engine.records.list(guest, type: "trips.stop", RecordQuery()).count == 5)
      let moved = try await DemoHouse.refreshed(
        engine,
        guest,
        "update trips.plan set starts_on = starts_on - 10, ends_on = ends_on - 10"
      )
      #expect(moved == 1)
    }
  }
}
