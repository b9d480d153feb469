import Apps
import Demo
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Demo data of the inventory app.
@Suite(.serialized, .timeLimit(.minutes(60))) struct InventoryDemoTests {
  @Test func `the small scale has the rows that were promised`() async throws {
    try await DemoHouse.loaded(["inventory"]) { engine in
      try await DemoHouse.expect(
        ["inventory.item": 40, "inventory.claim": 4],
        in: engine
      )
    }
  }

  @Test func `a guest finds twelve things, one of them with a warranty that ends in twelve days`()
    async throws
  {
    try await DemoHouse.visiting { engine, _, guest in
      let items = try await engine.records.list(guest, type: "inventory.item", RecordQuery())
      #expect(items.count == 12 && items.filter { $0.text("days_remaining") == "12" }.count == 1)
      let moved = try await DemoHouse.refreshed(
        engine,
        guest,
        "update inventory.item set purchase_date = purchase_date - 10"
      )
      #expect(moved == 12)
      let again = try await engine.records.list(guest, type: "inventory.item", RecordQuery())
      #expect(again.filter { $0.text("days_remaining") == "12" }.count == 1)
    }
  }
}
