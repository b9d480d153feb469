import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct TripPrivacyTests {
  private static let types = [
    "trips.conversation", "trips.message", "trips.plan", "trips.stop", "trips.plan_share",
  ]

  @Test func `a colleague and an admin see no row of somebody else's trips`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let conversation = try await people.conversation()
    try await people.say("hello", in: conversation)
    _ = try await people.shares.create(people.ana, plan: plan, level: .read, expiresAt: nil)
    for acting in [people.bea, people.shop.acting("admin"), people.shop.acting("owner")] {
      for type in Self.types {
        #expect(try await people.records.list(acting, type: type, RecordQuery()).isEmpty, "\(type)")
      }
      let error = try await refused {
        _ = try await people.records.show(acting, type: "trips.plan", id: plan)
      }
      #expect(error.code == .notFound)
    }
    for type in Self.types {
      #expect(try await !people.records.list(people.ana, type: type, RecordQuery()).isEmpty, "\(type)")
    }
  }

  @Test func `somebody else's id is not found, whatever is tried with it`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let conversation = try await people.conversation()
    let bea = people.bea
    let attempts: [@Sendable () async throws -> Void] = [
      { _ = try await people.records.update(bea, type: "trips.plan", id: plan, fields: ["title": "Mine"]) },
      { _ = try await people.records.delete(bea, type: "trips.plan", id: plan) },
      {
        _ = try await people.records.transition(
          bea,
          type: "trips.plan",
          id: plan,
          request: TransitionRequest("activate")
        )
      },
      {
        _ = try await people.records.create(
          bea,
          type: "trips.stop",
          fields: ["plan_id": .id(plan), "day_no": 1, "position": 1, "name": "Here"]
        )
      },
      { try await people.say("may I?", in: conversation, as: bea) },
      { _ = try await people.shares.create(bea, plan: plan, level: .edit, expiresAt: nil) },
      { _ = try await people.reader.messages(bea, conversation: conversation) },
      { _ = try await people.reader.document(bea, plan: plan) },
      { _ = try await TripCopy(people.shop.engine.services, people.records).make(bea, of: plan) },
    ]
    for (number, attempt) in attempts.enumerated() {
      let error = try await refused { try await attempt() }
      #expect(error.code == .notFound, "attempt \(number): \(error)")
    }
    #expect(try await people.records.show(people.ana, type: "trips.plan", id: plan)["version"]?.number == 1)
  }

  @Test func `a viewer has no trips, and an operator in their own name sees none`() async throws {
    let people = try await Travellers.open()
    _ = try await people.trip()
    let error = try await refused {
      _ = try await people.records.create(
        people.shop.acting("viewer"),
        type: "trips.plan",
        fields: ["title": "Mine"]
      )
    }
    #expect(error.code == .forbidden)
    #expect(
      try await people.records.list(people.shop.operatorContext, type: "trips.plan", RecordQuery()).isEmpty
    )
  }
}
