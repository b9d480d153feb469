internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Jobs

/// The things of a household, their warranties and claims.
struct InventoryApp: App {
  let name = "inventory"

  var rules: AppRules {
    AppRules(records: ["inventory.item": .inventoryItem, "inventory.saved_collection": .savedCollection])
  }

  var commands: [any ParsableCommand.Type] {
    [ItemCommand.self, TagCommand.self, CollectionCommand.self, ClaimCommand.self]
  }

  func handlers(_ setup: HandlerSetup) -> [any JobHandler] { [WarrantyScanHandler(), ClaimPackHandler()] }
}
