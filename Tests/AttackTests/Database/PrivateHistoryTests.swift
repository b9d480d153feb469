import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// SQL inside a company, against the history of a member's private records.
@Suite struct PrivateHistoryTests {
  @Test(arguments: ["fettle_app", "fettle_worker", "fettle_admin"])
  func `the history of a private record is visible to its owner only`(_ login: String) async throws {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    let plan = try await shop.records.create(
      shop.acting("user"),
      type: "trips.plan",
      fields: ["title": "Lofoten"]
    ).id
    let database = shop.engine.database.connect(as: login, poolSize: 1)
    func changes(as user: UUID?) async throws -> [String] {
      try await database.transaction(.inside(shop.company.id, user: user)) { tx in
        try tx.rows("select h.changes::text from core.history h where h.record_id = \(plan)", String.self)
      }
    }
    #expect(try await changes(as: shop.members["user"]?.userID).count == 1)
    #expect(try await changes(as: shop.members["user2"]?.userID).isEmpty)
    #expect(try await changes(as: nil).isEmpty)
    // The company's own records are as visible as before.
    let machines = try await database.transaction(.inside(shop.company.id)) { tx in
      try tx.value("select count(*) from core.history h where h.record_id = \(shop.machine)", as: Int.self)
    }
    #expect(machines == 1)
    await database.close()
  }

  @Test func `a private history whose record is gone stays with its owner`() async throws {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    let gone = UUID()
    let owner = try #require(shop.members["user"]?.userID)
    try await shop.engine.superuser.execute(
      """
      insert into core.history (company_id, record_type, record_id, seq, kind, actor_kind, actor_id, hash)
      values (\(shop.company.id), 'trips.plan', \(gone), 1, 'create', 'member', \(owner), sha256(''))
      """
    )
    func count(as user: UUID?) async throws -> Int {
      try await shop.engine.services.database.transaction(.inside(shop.company.id, user: user)) { tx in
        try tx.value("select count(*) from core.history h where h.record_id = \(gone)", as: Int.self)
      }
    }
    #expect(try await count(as: owner) == 1)
    #expect(try await count(as: shop.members["user2"]?.userID) == 0)
    #expect(try await count(as: nil) == 0)
  }
}
