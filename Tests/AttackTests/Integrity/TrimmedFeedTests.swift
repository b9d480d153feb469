import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Checks and notices after somebody has trimmed the feed.
@Suite struct TrimmedFeedTests {
  private func goal(of name: String, _ shop: Workshop, day: Int) async throws -> UUID {
    try await shop.records.create(
      shop.acting(name),
      type: "macros.goal",
      fields: [
        "protein_g": 120, "carbs_g": 200, "fat_g": 60, "effective_from": .string("2026-01-0\(day)"),
      ]
    ).id
  }

  /// Changes rows of the company as a superuser, past all triggers.
  private func tamper(_ shop: Workshop, _ sql: SQL) async throws {
    try await shop.engine.superuser.transaction { tx in
      try tx.execute("set local session_replication_role = replica")
      try tx.execute(sql)
    }
  }

  /// Removes the feed as the removal of old tombstones would.
  private func trim(_ shop: Workshop) async throws {
    try await tamper(shop, "delete from core.feed where company_id = \(shop.company.id)")
    try await tamper(
      shop,
      """
      insert into core.sync_floor (company_id, scope, seq)
      select m.company_id, 'macros.goal/' || m.user_id, 1000 from core.membership m
      where m.company_id = \(shop.company.id)
      """
    )
  }

  @Test func `a broken history of a private record is found without the feed`() async throws {
    let shop = try await Workshop.open()
    let (broken, gone) = (try await goal(of: "user", shop, day: 1), try await goal(of: "admin", shop, day: 2))
    try await trim(shop)
    try await tamper(
      shop,
      "update core.history set kind = 'edit' where company_id = \(shop.company.id) and record_id = \(broken)"
    )
    try await tamper(
      shop,
      "delete from macros.goal where company_id = \(shop.company.id) and id = \(gone)"
    )
    let report = try await Verification(shop.engine.operators, catalogue: shop.engine.catalogue).run([
      shop.company
    ])
    let found = report.findings.filter { $0.type == "macros.goal" }
    #expect(found.contains { $0.record == broken && $0.code == .historyAltered })
    #expect(found.contains { $0.record == gone && $0.code == .historyWithoutRecord })
  }

  @Test func `the owner of a private record is found without the feed`() async throws {
    let shop = try await Workshop.open()
    let owner = try #require(shop.members["user"]?.userID)
    let own = try await goal(of: "user", shop, day: 1)
    // The history of what the engine creates does not name the owner.
    let made = try await shop.records.create(
      ActingContext(company: shop.company, actor: .system("job"), user: owner),
      type: "macros.goal",
      fields: ["protein_g": 120, "carbs_g": 200, "fat_g": 60, "effective_from": "2026-01-03"]
    ).id
    try await trim(shop)
    let type = try shop.records.catalogue.type("macros.goal")
    for id in [own, made] {
      let found = try await shop.engine.services.database.transaction(.inside(shop.company.id)) { tx in
        try RecordOwner.enter(company: shop.company.id, type: type, id: id, tx)
      }
      #expect(found == owner)
    }
  }
}
