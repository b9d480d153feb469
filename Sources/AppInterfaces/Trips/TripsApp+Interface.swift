package import API
package import Apps
package import ArgumentParser
internal import CoreCommands
package import Demo
package import Engine

extension TripsApp: AppInterface {
  package var commands: [any ParsableCommand.Type] { [TripCommand.self] }

  package var demo: (any AppDemo)? { TripsDemo() }

  package func routes(_ records: Records, _ services: Services) -> [Route] {
    ShareRoutes(services, records).routes
  }
}
