import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// A claim from draft to decision.
@Suite(.timeLimit(.minutes(60))) struct ClaimTests {
  private func claim(_ house: Household, on item: UUID, as name: String = "user") async throws -> UUID {
    try await house.shop.records.create(
      house.shop.acting(name),
      type: "inventory.claim",
      fields: ["item_id": .id(item), "issue": "Motor smokes", "requested_remedy": "repair"]
    ).id
  }

  @discardableResult
  private func take(
    _ house: Household,
    _ transition: String,
    _ claim: UUID,
    as name: String = "user",
    comment: String? = nil
  ) async throws -> RecordAnswer {
    try await house.shop.records.transition(
      house.shop.acting(name),
      type: "inventory.claim",
      id: claim,
      request: TransitionRequest(transition, comment: comment)
    )
  }

  @Test(arguments: [(0, true), (12, true), (-1, false)])
  func `a claim is submitted while its item is in warranty`(_ days: Int, _ isSubmitted: Bool) async throws {
    let house = try await Household.open()
    let id = try await claim(house, on: house.item(daysLeft: days))
    if isSubmitted {
      #expect(try await take(house, "submit", id).status == "submitted")
    } else {
      let error = try await refused { try await take(house, "submit", id) }
      #expect(error.code == .guardRefused)
    }
  }

  @Test func `an item without a warranty has nothing to claim`() async throws {
    let house = try await Household.open()
    let id = try await claim(house, on: house.item())
    let error = try await refused { try await take(house, "submit", id) }
    #expect(error.code == .guardRefused)
  }

  @Test func `an administrator decides, with a reason for no, and it can be appealed`() async throws {
    let house = try await Household.open()
    let id = try await claim(house, on: house.item(daysLeft: 100))
    try await take(house, "submit", id)
    let own = try await refused { try await take(house, "approve", id) }
    #expect(own.code == .forbidden)
    let silent = try await refused { try await take(house, "reject", id, as: "admin") }
    #expect(silent.code == .missingFields)
    try await take(house, "reject", id, as: "admin", comment: "no receipt")
    try await take(house, "appeal", id, comment: "receipt enclosed")
    try await take(house, "approve", id, as: "admin")
    #expect(try await take(house, "close", id).status == "closed")
    let history = try await house.shop.records.history(
      house.shop.acting("user"),
      type: "inventory.claim",
      id: id
    )
    #expect(history.compactMap(\.transition) == ["submit", "reject", "appeal", "approve", "close"])
  }

  @Test func `its maker edits a draft and nothing later; administrators do`() async throws {
    let house = try await Household.open()
    let id = try await claim(house, on: house.item(daysLeft: 100))
    let records = house.shop.records
    func edit(_ name: String) async throws {
      _ = try await records.update(
        house.shop.acting(name),
        type: "inventory.claim",
        id: id,
        fields: ["reference": .string("CASE-\(name)")]
      )
    }
    try await edit("user")
    let other = try await refused { try await edit("user2") }
    #expect(other.code == .forbidden)
    try await take(house, "submit", id)
    let late = try await refused { try await edit("user") }
    #expect(late.code == .wrongState)
    try await edit("admin")
  }

  @Test func `the claim pack is created once for each submission`() async throws {
    let house = try await Household.open()
    let item = try await house.item(daysLeft: 100)
    try await house.update(item, ["receipt_text": "Total 129.00"])
    let id = try await claim(house, on: item)
    try await take(house, "submit", id)
    let company = house.shop.company.id
    let jobs = try await house.shop.engine.superuser.value(
      """
      select count(*) from core.job j
      join core.job_payload p on p.company_id = j.company_id and p.job_id = j.id
      where j.company_id = \(company) and j.kind = 'claim.pack' and p.cause_id = \(id)
      """,
      as: Int.self
    )
    #expect(jobs == 1)
    for _ in 0..<2 {
      try await house.shop.engine.services.database.transaction(.inside(company, mode: .engine)) { tx in
        try ClaimPack.deliver(company: company, claim: id, key: "job:1", tx)
      }
    }
    let packs = try await house.shop.engine.superuser.rows(
      """
      select n.user_id, n.data from core.notification n
      where n.company_id = \(company) and n.record_id = \(id) and n.template = 'inventory.claim_pack'
      """,
      UUID.self,
      JSON.self
    )
    #expect(packs.map(\.0) == [house.shop.members["user"]?.userID])
    let pack = try #require(try packs.first?.1.value().object)
    #expect(pack["proof"]?.object?.text("receipt_text") == "Total 129.00")
    #expect(pack["item"]?.object?.text("name") == "Drill")
    let timeline = pack["timeline"]?.array?.compactMap { $0.object?.text("what") }
    #expect(timeline == ["create", "submit"])
  }
}
