import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import Testing

@testable import Engine

/// Amounts that are written with a currency, of a type with a field for it.
@Suite(.timeLimit(.minutes(60))) struct ImportCurrencyTests {
  private func importing(
    _ text: String,
    _ shop: Workshop,
    map: [(String, String)],
    set: [(String, String)] = [],
    skipsBad: Bool = false
  ) async throws -> ImportOutcome {
    let given = [("category", "Tools"), ("purchase_date", "2025-01-02")] + set
    return try await TemporaryFile.with(text) { path in
      try await RecordImporter(
        shop.engine.operators,
        Records(shop.engine.operators, catalogue: shop.engine.catalogue)
      ).run(
        shop.acting("owner"),
        path: path,
        plan: ImportPlan(
          type: "inventory.item",
          mapping: map.map { (column: $0.0, heading: $0.1) },
          fixed: given.map { (column: $0.0, value: $0.1) },
          skipsBad: skipsBad
        )
      )
    }
  }

  @Test func `an amount in another currency than its line, or beside none, refuses the line`() async throws {
    let shop = try await Workshop.open()
    let file = "name,price,cur\nDrill,12.50 EUR,EUR\nSaw,12.50 EUR,SEK\nLamp,12.50 €,\nBit,12.50,\n"
    let map = [("name", "name"), ("purchase_price", "price"), ("currency", "cur")]
    let outcome = try await importing(file, shop, map: map, skipsBad: true)
    #expect(outcome.imported == 2)
    #expect(
      outcome.refused.map(\.reason) == [
        "purchase_price: \"12.50 EUR\" is not in SEK, the currency of the line",
        "purchase_price: \"12.50 €\" has a currency, but the line has none",
      ]
    )
    let items = try await shop.records.list(shop.acting("owner"), type: "inventory.item", RecordQuery())
    let drill = items.first { $0["name"]?.string == "Drill" }
    #expect(drill?["currency"]?.string == "EUR" && drill?["purchase_price"]?.displayText == "12.50")
  }

  @Test func `a currency for all lines is that of their amounts`() async throws {
    let shop = try await Workshop.open()
    let map = [("name", "name"), ("purchase_price", "price")]
    let refusal = try await refused {
      _ = try await importing("name,price\nDrill,12.50 EUR\n", shop, map: map, set: [("currency", "SEK")])
    }
    #expect(refusal.message.contains("line 2: purchase_price: \"12.50 EUR\" is not in SEK"))
    let kronor = try await importing("name,price\nSaw,12.50 kr\n", shop, map: map, set: [("currency", "SEK")])
    #expect(kronor.imported == 1)
    let given = try await refused {
      _ = try await importing(
        "name,cur\nLamp,USD\n",
        shop,
        map: [("name", "name"), ("currency", "cur")],
        set: [("purchase_price", "12.50 EUR")]
      )
    }
    #expect(given.message.contains("\"12.50 EUR\" is not in USD"), "\(given.message)")
  }
}
