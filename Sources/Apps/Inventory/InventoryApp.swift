internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Engine
internal import Jobs

/// The belongings of a household, with warranties and claims.
struct InventoryApp: App {
  let name = "inventory"

  var rules: AppRules {
    AppRules(records: ["inventory.item": .inventoryItem, "inventory.saved_collection": .savedCollection])
  }

  var commands: [any ParsableCommand.Type] {
    [ItemCommand.self, TagCommand.self, CollectionCommand.self, ClaimCommand.self]
  }

  var demo: (any AppDemo)? { InventoryDemo() }

  func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [WarrantyScanHandler(), ClaimPackHandler()] }
}
