internal import API
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Logging
internal import Server
internal import Terminal

extension APICommand {
  struct Document: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the OpenAPI document of the installed apps",
      scope: .installation,
      discussion: """
        Prints the OpenAPI 3.1 document in JSON, as GET /v1/openapi.json of a server
        returns it: one path for each installed record type, with its fields, limits
        and enumerations. No server has to run.

        Examples:
          fettle api document > openapi.json
          fettle api document --server https://fettle.example
        """
    )
    @OptionGroup var connection: ConnectionOptions

    @Option(
      help: ArgumentHelp(
        "Origin of the server, such as https://fettle.example (default: relative)",
        valueName: "url"
      )
    )
    var server: String?

    func validate() throws {
      guard server.map({ PublicOrigin($0) != nil }) ?? true else {
        throw ValidationError("--server takes a scheme and a host, such as https://fettle.example")
      }
    }

    func run() async throws {
      let origin = server.flatMap { PublicOrigin($0)?.text }
      let document = try await connection.withServices { services in
        let routes = ServeRoutes(
          services,
          try await Records.open(services),
          bulk: services,
          hub: HintHub(key: []),
          configuration: HTTPConfiguration(ListenAddress(host: "127.0.0.1", port: 8_080)),
          settings: ServeRoutes.Settings(),
          logger: Logger(label: "fettle.api")
        )
        return try await DocumentCache.document(services, routes.all, server: origin)
      }
      try BufferedOutput.print(document.text + "\n")
    }
  }
}
