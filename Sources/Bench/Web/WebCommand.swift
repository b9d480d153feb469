internal import ArgumentParser
internal import Hummingbird
internal import Logging

/// Measures the API beside pgbench and a plain Hummingbird server.
struct WebCommand: FigureCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Compare the API with pgbench and a plain HTTP server",
    discussion: BenchOptions.discussion(
      groups,
      "`wrk` sends\nrequests to `fettle serve`; pgbench repeats their statements, in the same round trips.",
      example: "web --home /var/tmp/bench --quick"
    )
  )
  static let groups = ["get", "unchanged", "list", "transition", "limiter", "idle", "pages"]
  static let sizes = [(rounds: 7, seconds: 10), (rounds: 3, seconds: 2)]
  static let report = Report(
    cpu: ["CPU"],
    sharers: "server and callers",
    text: "16 callers, or --clients. CPU: microseconds per unit, of the caller."
  )

  @OptionGroup var options: BenchOptions

  @Option(help: "Number of concurrent callers, 2 to 64")
  var clients = 16

  @Option(help: "Number of idle connections (default: 10000; with --quick 1000)")
  var idle: Int?

  func validate() throws {
    guard (2...64).contains(clients) else { throw ValidationError("--clients is 2 to 64") }
    guard (1...20_000).contains(idle ?? 1) else { throw ValidationError("--idle is 1 to 20000") }
  }

  func measure(_ plan: Plan) async throws -> Plan.Outcome {
    try await Fixture.fill(plan.server, [(1...1, Fixture.entriesOfOne)])
    let figures = try await WebFigures(plan)
    return await plan.outcome([
      "get": { try await figures.get() },
      "unchanged": { try await figures.unchanged() },
      "list": { try await figures.list() },
      "transition": { try await figures.transition() },
      "limiter": { try await figures.limiter() },
      "pages": { try await figures.pages() },
      "idle": { try await figures.idle(idle ?? (plan.quick ? 1_000 : 10_000)) },
    ])
  }
}

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
    try await Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      logger: logger
    ).runService()
  }
}
