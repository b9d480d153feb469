import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@Suite(.timeLimit(.minutes(60))) struct VisitorTests {
  @Test func `a visitor's records become the member's in one transaction, parents and children, once`()
    async throws
  {
    let people = try await Travellers.open()
    let visitor = try await visitor(people)
    let guest = Travellers(shop: people.shop, as: visitor)
    let plan = try await guest.trip()
    let conversation = try await guest.conversation()
    try await guest.say("hello", in: conversation)
    let gone = try await guest.records.create(visitor, type: "trips.plan", fields: ["title": "Gone"]).id
    _ = try await guest.records.delete(visitor, type: "trips.plan", id: gone)
    let claim = VisitorClaim(people.records)
    let user = try #require(visitor.user)
    // One plan with three stops, a conversation with a message, and a tombstone.
    #expect(try await claim.claim(people.ana, visitor: user) == 7)
    #expect(
      try await people.records.show(people.ana, type: "trips.plan", id: plan)["title"] == "Lofoten, in winter"
    )
    #expect(try await people.reader.stops(people.ana, plan: plan).count == 3)
    #expect(try await people.reader.messages(people.ana, conversation: conversation).count == 1)
    _ = try await people.records.restore(people.ana, type: "trips.plan", id: gone)
    for (type, id) in [("trips.plan", plan), ("trips.conversation", conversation), ("trips.plan", gone)] {
      #expect(try await people.records.verify(people.ana, type: type, id: id) == nil)
    }
    let scopes = try await people.shop.engine.superuser.rows(
      """
      select f.op from core.feed f
      where f.company_id = \(people.shop.company.id) and f.record_id = \(plan)
      order by f.seq
      """,
      String.self
    )
    #expect(scopes == ["leave", "put"])
    let again = try await refused { _ = try await claim.claim(people.bea, visitor: user) }
    #expect(again.code == .wrongState)
    #expect(try await people.records.list(people.bea, type: "trips.plan", RecordQuery()).isEmpty)
    try await people.say("and now?", in: conversation)
  }

  @Test func `nobody claims from a person`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let claim = VisitorClaim(people.records)
    let user = try #require(people.ana.user)
    let error = try await refused { _ = try await claim.claim(people.bea, visitor: user) }
    #expect(error.code == .wrongState)
    #expect(try await people.records.show(people.ana, type: "trips.plan", id: plan)["version"]?.number == 1)
  }

  @Test func `no login makes a row another's by itself`() async throws {
    let people = try await Travellers.open()
    let plan = try await people.trip()
    let (company, bea) = (people.shop.company.id, people.bea.user)
    await #expect(throws: PostgresError.self) {
      try await people.shop.engine.services.database.transaction(
        .inside(company, user: people.ana.user, mode: .engine)
      ) { tx in
        try tx.execute(
          "update trips.plan set created_by = \(nullable: bea) where company_id = \(company) and id = \(plan)"
        )
      }
    }
  }

  /// A visitor who has not signed in yet.
  private func visitor(_ people: Travellers) async throws -> ActingContext {
    let company = people.shop.company
    let member = try await Members(people.shop.engine.operators).add(
      people.shop.operatorContext,
      email: "visitor-\(UUID().uuidString.lowercased())@visitors.example",
      name: "Visitor",
      role: "user"
    )
    try await people.shop.engine.superuser.execute(
      "update core.app_user set kind = 'visitor' where id = \(member.userID)"
    )
    return ActingContext(company: company, actor: .member(member.userID), user: member.userID)
  }
}
