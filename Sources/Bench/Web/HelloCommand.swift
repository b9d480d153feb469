internal import ArgumentParser
internal import Hummingbird
internal import Logging

/// Serves a constant text with Hummingbird: the upper bound for requests on this machine.
struct HelloCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hello",
    abstract: "Serve a constant text with Hummingbird",
    shouldDisplay: false
  )

  @Option(help: "Port on 127.0.0.1")
  var port: Int

  func run() async throws {
    let router = Router()
    router.get("/hello") { _, _ in "hello" }
    var logger = Logger(label: "hello")
    logger.logLevel = .error
    let application = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      logger: logger
    )
    try await application.runService()
  }
}
