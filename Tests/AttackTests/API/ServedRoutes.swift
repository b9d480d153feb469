import API
import Engine

/// All routes of the server.
enum ServedRoutes {
  static func all(_ services: Services) async throws -> [Route] {
    let routes = RecordRoutes(services, try await Records.open(services)).routes
    return routes + DocumentRoutes(services, describing: routes).routes
  }
}
