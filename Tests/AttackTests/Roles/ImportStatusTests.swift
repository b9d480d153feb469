import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

/// Imports that give new records a status that a transition would refuse.
@Suite struct ImportStatusTests {
  /// Imports one order per line of `title,amount,status`; as a file with a column for the status.
  private func importing(
    _ lines: [String],
    into shop: Workshop,
    as acting: ActingContext,
    by services: Services? = nil
  ) async throws -> ImportOutcome {
    let services = services ?? shop.engine.operators
    let text = (["title,amount,status"] + lines).joined(separator: "\n")
    return try await TemporaryFile.with(text) { path in
      try await RecordImporter(services, Records(services, catalogue: shop.engine.catalogue)).run(
        acting,
        path: path,
        plan: ImportPlan(type: "trial.order")
      )
    }
  }

  private func refusedImport(
    _ lines: [String],
    as name: String,
    in shop: Workshop
  ) async throws -> DomainError {
    try await refused { _ = try await importing(lines, into: shop, as: shop.acting(name)) }
  }

  private func count(_ shop: Workshop) async throws -> Int64 {
    try await shop.engine.superuser.value(
      "select count(*) from trial.order o where o.company_id = \(shop.company.id)",
      as: Int64.self
    )
  }

  @Test func `a member cannot approve their own order by an import`() async throws {
    let shop = try await Workshop.trial()
    // The user lacks the permission; the admin has it, but the approval requires another person.
    let lacking = try await refusedImport(["Bolts,20,approved"], as: "user", in: shop)
    #expect(lacking.code == .forbidden)
    #expect(lacking.message.contains("missing permission: trial.order.decide"))
    let alone = try await refusedImport(["Bolts,20,approved"], as: "admin", in: shop)
    #expect(alone.code == .fourEyes)
    #expect(try await refusedImport(["Bolts,20,closed"], as: "owner", in: shop).code == .fourEyes)
    #expect(try await count(shop) == 0)
  }

  @Test func `a fixed status is held to the same rule as a column`() async throws {
    let shop = try await Workshop.trial()
    let error = try await refused {
      _ = try await TemporaryFile.with("title\nBolts") { path in
        try await RecordImporter(
          shop.engine.operators,
          Records(shop.engine.operators, catalogue: shop.engine.catalogue)
        ).run(
          shop.acting("user"),
          path: path,
          plan: ImportPlan(type: "trial.order", fixed: [("status", "approved")])
        )
      }
    }
    #expect(error.code == .forbidden)
    #expect(try await count(shop) == 0)
  }

  @Test(arguments: [false, true])
  func `an import gives a status that its transitions would give`(_ isServer: Bool) async throws {
    let shop = try await Workshop.trial()
    let outcome = try await importing(
      ["Bolts,20,review", "Nuts,30,parked", "Nails,10,draft"],
      into: shop,
      as: shop.acting("user"),
      by: isServer ? shop.engine.services : nil
    )
    #expect(outcome.imported == 3)
    let reached = try await shop.engine.superuser.rows(
      "select o.status from trial.order o where o.company_id = \(shop.company.id) order by o.status",
      String.self
    )
    #expect(reached == ["draft", "parked", "review"])
    // A viewer may not even create.
    #expect(try await refusedImport(["Bolts,20,review"], as: "viewer", in: shop).code == .forbidden)
  }

  @Test func `an imported record must satisfy the guards of its status`() async throws {
    let shop = try await Workshop.open()
    func claims(of months: Int64, as name: String) async throws -> ImportOutcome {
      let item = try await shop.records.create(
        shop.operatorContext,
        type: "inventory.item",
        fields: [
          "name": "Drill", "category": "Tools", "purchase_date": "2020-01-01",
          "warranty_months": .integer(months),
        ]
      )
      let text = "item_id,issue,status\n\(item.id.text),smokes,draft\n\(item.id.text),burns,submitted\n"
      return try await TemporaryFile.with(text) { path in
        try await RecordImporter(
          shop.engine.operators,
          Records(shop.engine.operators, catalogue: shop.engine.catalogue)
        ).run(
          shop.acting(name),
          path: path,
          plan: ImportPlan(type: "inventory.claim")
        )
      }
    }
    #expect(try await claims(of: 1_200, as: "user").imported == 2)
    let error = try await refused { _ = try await claims(of: 0, as: "admin") }
    #expect(error.code == .guardRefused)
    #expect(error.message.hasPrefix("line 3 cannot be submitted: "))
    let kept = try await shop.engine.superuser.value(
      "select count(*) from inventory.claim c where c.company_id = \(shop.company.id)",
      as: Int64.self
    )
    #expect(kept == 2)
  }

  @Test func `an operator imports any status, and the audit says so`() async throws {
    let shop = try await Workshop.trial()
    let outcome = try await importing(
      ["Bolts,5000,approved", "Nuts,30,closed"],
      into: shop,
      as: shop.operatorContext
    )
    #expect(outcome.imported == 2)
    let details = try await shop.engine.superuser.rows(
      """
      select a.detail::text from core.audit a
      where a.company_id = \(shop.company.id) and a.action = 'record.status_imported'
      """,
      String.self
    )
    #expect(details.count == 1 && details[0].contains("approved") && details[0].contains("closed"))
  }
}
