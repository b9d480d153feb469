import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// The engine refuses writes that require an entitlement, on all paths; reading needs none.
@Suite(.timeLimit(.minutes(60))) struct EntitlementTests {
  private func preset(_ kitchen: Kitchen, as name: String = "user", _ title: String = "Shake") async throws
    -> UUID
  {
    try await kitchen.shop.records.create(
      kitchen.shop.acting(name),
      type: "macros.preset",
      fields: ["name": .string(title), "protein_g": "30"]
    ).id
  }

  @Test func `a preset takes pro, which an operator grants to the company`() async throws {
    let kitchen = try await Kitchen.open()
    let error = try await refused { _ = try await preset(kitchen) }
    #expect(error.code == .entitlementRequired && error.category == .denied)
    #expect(error.details["entitlement"] == "pro")
    let cycle = try await refused { _ = try await kitchen.macros.setCycle(kitchen.eater, .monday, .rest) }
    #expect(cycle.code == .entitlementRequired)
    try await kitchen.log(["fat_g": "1"])

    try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro")
    _ = try await preset(kitchen)
    _ = try await preset(kitchen, as: "user2")
    _ = try await kitchen.macros.setCycle(kitchen.eater, .monday, .rest)
  }

  @Test func `granted to a member it is that member's only`() async throws {
    let kitchen = try await Kitchen.open()
    try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro", to: "user")
    _ = try await preset(kitchen)
    let error = try await refused { _ = try await preset(kitchen, as: "user2") }
    #expect(error.code == .entitlementRequired)
  }

  @Test func `one that is over, or revoked, stops writes and leaves what there is to be read`() async throws {
    let kitchen = try await Kitchen.open()
    let administration = kitchen.shop.operatorContext
    try await kitchen.entitlements.grant(administration, name: "pro")
    let id = try await preset(kitchen)
    try await kitchen.shop.engine.superuser.transaction(.inside(kitchen.shop.company.id)) { tx in
      try tx.execute(
        """
        update core.entitlement
        set valid_from = now() - interval '2 days', valid_until = now() - interval '1 microsecond'
        where company_id = \(kitchen.shop.company.id)
        """
      )
    }
    let records = kitchen.shop.records
    let creating = try await refused { _ = try await preset(kitchen, "Soup") }
    let editing = try await refused {
      _ = try await records.update(kitchen.eater, type: "macros.preset", id: id, fields: ["name": "Soup"])
    }
    #expect(creating.code == .entitlementRequired && editing.code == .entitlementRequired)
    #expect(try await records.show(kitchen.eater, type: "macros.preset", id: id).text("name") == "Shake")
    #expect(try await records.list(kitchen.eater, type: "macros.preset", RecordQuery()).count == 1)
    _ = try await kitchen.macros.log(kitchen.eater, [:], preset: "Shake")

    try await kitchen.entitlements.grant(administration, name: "pro")
    _ = try await records.update(kitchen.eater, type: "macros.preset", id: id, fields: ["name": "Soup"])
    try await kitchen.entitlements.revoke(administration, name: "pro")
    let revoked = try await refused {
      _ = try await records.update(kitchen.eater, type: "macros.preset", id: id, fields: ["name": "Stew"])
    }
    #expect(revoked.code == .entitlementRequired)
    #expect(try await kitchen.entitlements.list(administration).isEmpty)
    let past = try await kitchen.entitlements.list(administration, includingPast: true)
    #expect(past.count == 1 && past.allSatisfy { !$0.isInForce && $0.grantedBy == "tests" })
  }

  @Test func `a file of presets takes pro like a single one`() async throws {
    let kitchen = try await Kitchen.open()
    let file = "/tmp/fettle-presets-\(UUID().uuidString).csv"
    try Data("name,protein_g\nShake,30\n".utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let plan = ImportPlan(type: "macros.preset", mapping: [("name", "name"), ("protein_g", "protein_g")])
    let importer = RecordImporter(
      kitchen.shop.engine.operators,
      Records(kitchen.shop.engine.operators, catalogue: kitchen.shop.engine.catalogue)
    )
    let error = try await refused { _ = try await importer.run(kitchen.eater, path: file, plan: plan) }
    #expect(error.code == .entitlementRequired)
    try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro")
    #expect(try await importer.run(kitchen.eater, path: file, plan: plan).imported == 1)
  }

  @Test func `one that has not begun does not hold yet`() async throws {
    let kitchen = try await Kitchen.open()
    let later = Instant(microseconds: 4_102_444_800_000_000)
    try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro", from: later)
    let error = try await refused { _ = try await preset(kitchen) }
    #expect(error.code == .entitlementRequired)
  }

  @Test func `members cannot grant, and a name that nothing asks for is refused`() async throws {
    let kitchen = try await Kitchen.open()
    let owner = try await refused {
      try await kitchen.entitlements.grant(kitchen.shop.acting("owner"), name: "pro")
    }
    #expect(owner.code == .forbidden)
    let name = try await refused {
      try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "prp")
    }
    #expect(name.code == .invalidInput && name.hint == "did you mean pro?")
    let none = try await refused {
      try await kitchen.entitlements.revoke(kitchen.shop.operatorContext, name: "pro")
    }
    #expect(none.code == .notFound)
    let app = try await refused {
      try await kitchen.shop.engine.services.database.transaction(.inside(kitchen.shop.company.id)) { tx in
        do {
          try tx.execute(
            """
            insert into core.entitlement (company_id, id, name, granted_by)
            values (\(kitchen.shop.company.id), \(UUID()), 'pro', 'me')
            """
          )
        } catch let error as PostgresError { throw DomainError(error) }
      }
    }
    #expect(app.code == .forbidden, "the server's login cannot write one")
  }

  @Test func `another company's entitlement does not count`() async throws {
    let mine = try await Kitchen.open()
    _ = try await Kitchen.open(pro: true)
    let error = try await refused { _ = try await preset(mine) }
    #expect(error.code == .entitlementRequired)
  }
}
