import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct TripShareTests {
  @Test func `a link opens one plan with its stops, and only its hash is kept`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    _ = try await people.trip()
    let issued = try await people.shares.create(people.ana, plan: plan, level: .read, expiresAt: nil)
    let shared = try await people.shares.redeem(issued.text)
    #expect(shared.plan == plan && shared.level == .read)
    let (document, stops) = try await people.shares.show(shared)
    #expect(document["title"] == "Lofoten, in winter")
    #expect(stops.compactMap { $0["name"]?.string } == ["Hamnøy bridge", "Reine <harbour>", "Somewhere"])
    #expect(stops.compactMap { $0["visit_on"]?.string } == ["2026-02-10", "2026-02-10", "2026-02-12"])
    let kept = try await people.shop.engine.superuser.value(
      """
      select (select string_agg(s::text, '') from trips.plan_share s where s.company_id = \(people.shop.company.id))
        || (select string_agg(h.changes::text, '') from core.history h where h.company_id = \(people.shop.company.id))
      """,
      as: String.self
    )
    #expect(!kept.contains(issued.text.suffix(50)))
    let listed = try await people.records.list(people.ana, type: "trips.plan_share", RecordQuery())
    #expect(listed.count == 1 && listed[0]["token_hash"] == nil)
  }

  @Test func `a link that is mistyped, revoked or over opens nothing and says no more`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let issued = try await people.shares.create(people.ana, plan: plan, level: .edit, expiresAt: nil)
    let shared = try await people.shares.redeem(issued.text)
    var other = issued.text
    other.removeLast()
    var messages: Set<String> = []
    for text in ["", "fts_", other, other + (issued.text.hasSuffix("a") ? "b" : "a")] {
      let error = try await refused { _ = try await people.shares.redeem(text) }
      #expect(error.code == .notFound)
      messages.insert(error.message)
    }
    try await people.shares.revoke(people.ana, id: issued.id)
    messages.insert(try await refused { _ = try await people.shares.redeem(issued.text) }.message)
    // A bearer who had opened it before has no access any more.
    messages.insert(
      try await refused { try await people.shares.updatePlan(shared, fields: ["title": "Mine"]) }.message
    )
    let ending = try await people.shares.create(
      people.ana,
      plan: plan,
      level: .read,
      expiresAt: Instant(parsing: "2099-01-01T00:00:00Z")
    )
    _ = try await people.shares.redeem(ending.text)
    try await people.shop.engine.superuser.transaction(
      .inside(people.shop.company.id, user: people.ana.user, mode: .engine)
    ) { tx in
      try tx.execute(
        """
        update trips.plan_share set expires_at = now() - interval '1 second'
        where company_id = \(people.shop.company.id) and id = \(ending.id)
        """
      )
    }
    messages.insert(try await refused { _ = try await people.shares.redeem(ending.text) }.message)
    #expect(messages.count == 1)
    let past = try await refused {
      _ = try await people.shares.create(
        people.ana,
        plan: plan,
        level: .read,
        expiresAt: Instant(parsing: "2020-01-01T00:00:00Z")
      )
    }
    #expect(past.code == .invalidInput)
  }

  @Test func `a reader cannot edit; an editor works on the owner's behalf, in the link's name`() async throws
  {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let looking = try await people.shares.redeem(
      people.shares.create(people.ana, plan: plan, level: .read, expiresAt: nil).text
    )
    let place: JSONObject = ["day_no": 2, "position": 1, "name": "Kvalvika"]
    let error = try await refused { try await people.shares.addStop(looking, fields: place) }
    #expect(error.code == .forbidden)
    let issued = try await people.shares.create(people.ana, plan: plan, level: .edit, expiresAt: nil)
    let editing = try await people.shares.redeem(issued.text)
    let stop = try await people.shares.addStop(editing, fields: place)
    try await people.shares.updateStop(editing, stop: stop.id, fields: ["notes": "Two hours on foot"])
    try await people.shares.updatePlan(editing, fields: ["summary": "With a walk"])
    let mine = try await people.records.show(people.ana, type: "trips.stop", id: stop.id)
    #expect(mine["created_by"]?.string == people.ana.user?.text)
    #expect(mine["notes"] == "Two hours on foot")
    let actor = try await people.shop.engine.superuser.rows(
      """
      select h.actor_kind, h.actor_id, h.on_behalf_of from core.history h
      where h.company_id = \(people.shop.company.id) and h.record_id = \(stop.id)
      """,
      String.self,
      UUID.self,
      UUID?.self
    )
    #expect(actor.count == 2)
    #expect(actor.allSatisfy { $0.0 == "token" && $0.1 == issued.id && $0.2 == people.ana.user })
  }

  @Test func `nothing else of the owner is within a link's reach`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let other = try await people.trip()
    let editing = try await people.shares.redeem(
      people.shares.create(people.ana, plan: plan, level: .edit, expiresAt: nil).text
    )
    let foreign = try await people.reader.stops(people.ana, plan: other)[0]
    let id = try #require(foreign["id"]?.string.flatMap(UUID.init(uuidString:)))
    let error = try await refused {
      try await people.shares.updateStop(editing, stop: id, fields: ["name": "Mine"])
    }
    #expect(error.code == .notFound)
    // A stop is added to the shared plan, whatever its fields say.
    let added = try await people.shares.addStop(
      editing,
      fields: ["plan_id": .id(other), "day_no": 1, "position": 9, "name": "Here"]
    )
    let stop = try await people.records.show(people.ana, type: "trips.stop", id: added.id)
    #expect(stop["plan_id"] == .id(plan))
  }

  @Test func `a link to a plan that was deleted opens nothing`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let issued = try await people.shares.create(people.ana, plan: plan, level: .read, expiresAt: nil)
    _ = try await people.records.delete(people.ana, type: "trips.plan", id: plan)
    let error = try await refused { _ = try await people.shares.redeem(issued.text) }
    #expect(error.code == .notFound)
  }

  @Test func `no link is made by hand`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let error = try await refused {
      _ = try await people.records.create(
        people.ana,
        type: "trips.plan_share",
        fields: ["plan_id": .id(plan), "level": "edit"]
      )
    }
    #expect(error.category == .invalid)
  }
}
