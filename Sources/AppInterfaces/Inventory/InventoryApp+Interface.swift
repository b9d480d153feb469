package import Apps
package import ArgumentParser
internal import CoreCommands
package import Demo

extension InventoryApp: AppInterface {
  package var commands: [any ParsableCommand.Type] {
    [ItemCommand.self, TagCommand.self, CollectionCommand.self, ClaimCommand.self]
  }

  package var demo: (any AppDemo)? { InventoryDemo() }
}
