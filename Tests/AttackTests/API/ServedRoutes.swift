import API
import Engine
import Logging
import Server

@testable import fettle

/// All routes of the server.
enum ServedRoutes {
  static func all(_ services: Services) async throws -> [Route] {
    ServeRoutes(
      services,
      try await Records.open(services),
      bulk: services,
      hub: HintHub(key: []),
      configuration: HTTPConfiguration(ListenAddress(host: "127.0.0.1", port: 8_080)),
      settings: ServeRoutes.Settings(),
      logger: Logger(label: "tests")
    ).all
  }
}
