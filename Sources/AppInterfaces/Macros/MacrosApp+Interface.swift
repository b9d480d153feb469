package import API
package import Apps
package import ArgumentParser
internal import CoreCommands
package import Demo
package import Engine

extension MacrosApp: AppInterface {
  package var commands: [any ParsableCommand.Type] { [MacrosCommand.self] }

  package var demo: (any AppDemo)? { MacrosDemo() }

  package func routes(_ records: Records, _ services: Services) -> [Route] {
    MacroRoutes(services, records).routes
  }
}
