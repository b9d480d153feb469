package import Engine
package import Jobs

/// The belongings of a household, with warranties and claims.
package struct InventoryApp: App {
  package let name = "inventory"

  package var rules: AppRules {
    AppRules(records: ["inventory.item": .inventoryItem, "inventory.saved_collection": .savedCollection])
  }

  package func handlers(_ setup: HandlerSetup) -> [any JobHandler] {
    [WarrantyScanHandler(), ClaimPackHandler()]
  }
}
