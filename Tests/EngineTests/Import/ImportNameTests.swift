import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// The records that lines name are those that a single creation would find.
@Suite(.timeLimit(.minutes(60))) struct ImportNameTests {
  @Test func `a name that two records have refuses its line, and makes no third one`() async throws {
    let shop = try await Workshop.open()
    for name in ["Bosch drill", "Bosch drill", "Saw"] {
      _ = try await shop.records.create(
        shop.acting("owner"),
        type: "inventory.item",
        fields: ["name": .string(name), "category": "Tools", "purchase_date": "2026-01-01"]
      )
    }
    let plan = ImportPlan(
      type: "inventory.claim",
      mapping: [("item", "Item"), ("issue", "Issue")],
      createsMissing: true,
      skipsBad: true
    )
    let outcome = try await shop.importing("Item,Issue\nbosch drill,Smokes\nSaw,Blunt\n", plan)
    #expect(outcome.refused.map(\.reason) == ["\"bosch drill\" fits more than one item"])
    #expect(outcome.refused.map(\.code) == [.invalidInput])
    #expect(outcome.imported == 1 && outcome.created.isEmpty)
  }

  @Test func `the beginning of two members' addresses names neither of them`() async throws {
    let shop = try await Workshop.open()
    for place in ["north", "south"] {
      _ = try await Members(shop.engine.operators).add(
        shop.operatorContext,
        email: "sam@\(place).\(shop.company.slug).example",
        name: "Sam \(place)",
        role: "user"
      )
    }
    func importing(_ name: String) async throws -> ImportOutcome {
      try await shop.importing(
        "Text,Who\nLeak,\"\(name)\"\n",
        ImportPlan(
          entries: ["description": "Text", "assigned_to": "Who"],
          fixed: ["machine": "RM-001", "category": "Engine"]
        )
      )
    }
    let refusal = try await refused { _ = try await importing("sam") }
    #expect(refusal.message.contains("2 members are called \"sam\": sam@north."))
    #expect(try await importing("Sam@North.\(shop.company.slug).example").imported == 1)
    #expect(try await importing("South, Sam").imported == 1)
  }

  @Test(arguments: [("İST-1", "İST-1"), ("Caf\u{E9}", "Cafe\u{301}"), ("Cafe\u{301}", "Caf\u{E9}")])
  func `a name is found whatever its letters are in lower case and how its accents are written`(
    code: String,
    written: String
  ) async throws {
    let shop = try await Workshop.open()
    let machine = try await shop.records.create(
      shop.acting("owner"),
      type: "maintenance.machine",
      fields: ["code": .string(code), "name": "Press"]
    )
    let found = try await shop.records.resolve(shop.acting("owner"), type: "maintenance.machine", written)
    #expect(found == machine.id)
    let outcome = try await shop.importing(
      "Asset,Text\n\(written),Leak\n",
      ImportPlan(
        entries: ["machine": "Asset", "description": "Text"],
        fixed: ["category": "Engine"],
        createsMissing: true
      )
    )
    #expect(outcome.imported == 1 && outcome.created.isEmpty)
  }
}
