package import API
package import Apps
package import ArgumentParser
internal import CoreCommands
package import Demo
package import Engine

extension SolarApp: AppInterface {
  package var commands: [any ParsableCommand.Type] { [SolarCommand.self] }

  package var demo: (any AppDemo)? { SolarDemo() }

  package func routes(_ records: Records, _ services: Services) -> [Route] {
    ReadingRoutes(services, records).routes
  }
}
