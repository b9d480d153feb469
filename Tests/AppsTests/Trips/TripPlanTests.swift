import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct TripPlanTests {
  @Test func `a plan is listed, read, deleted with its stops and put back`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let listed = try await people.records.list(people.ana, type: "trips.plan", RecordQuery())
    #expect(listed.compactMap { $0["id"]?.string } == [plan.text])
    #expect(listed[0]["stop_count"]?.number == 3 && listed[0]["days"]?.number == 3)
    _ = try await people.records.delete(people.ana, type: "trips.plan", id: plan)
    #expect(try await people.records.list(people.ana, type: "trips.plan", RecordQuery()).isEmpty)
    #expect(try await people.records.list(people.ana, type: "trips.stop", RecordQuery()).isEmpty)
    _ = try await people.records.restore(people.ana, type: "trips.plan", id: plan)
    #expect(try await people.reader.stops(people.ana, plan: plan).count == 3)
  }

  @Test func `a trip needs a first day to begin, ends after it begins, and has whole places`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.records.create(people.ana, type: "trips.plan", fields: ["title": "Idea"]).id
    let error = try await refused {
      _ = try await people.records.transition(
        people.ana,
        type: "trips.plan",
        id: plan,
        request: TransitionRequest("activate")
      )
    }
    #expect(error.code == .missingFields)
    for wrong: JSONObject in [
      ["starts_on": "2026-06-02", "ends_on": "2026-06-01"], ["lat": "10"], ["lat": "91", "lon": "0"],
      ["starts_on": "2026-02-30"],
    ] {
      let refusal = try await refused {
        _ = try await people.records.update(people.ana, type: "trips.plan", id: plan, fields: wrong)
      }
      #expect(refusal.category == .invalid, "\(wrong): \(refusal)")
    }
  }

  @Test func `every record says what can be done with it`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    #expect(
      try await people.records.available(people.ana, type: "trips.plan", id: plan) == ["activate", "archive"]
    )
  }

  @Test func `a copy is a draft of one's own with the same stops`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let copy = try await TripCopy(people.shop.engine.services, people.records)
      .make(people.ana, of: plan, title: "Again")
    let shown = try await people.records.show(people.ana, type: "trips.plan", id: copy.id)
    #expect(shown["title"] == "Again" && shown["status"] == "draft" && shown["version"]?.number == 1)
    let (old, new) = (
      try await people.reader.stops(people.ana, plan: plan),
      try await people.reader.stops(people.ana, plan: copy.id)
    )
    #expect(old.map { $0["name"] } == new.map { $0["name"] })
    #expect(Set(old.map { $0["id"] }).isDisjoint(with: new.map { $0["id"] }))
  }
}
