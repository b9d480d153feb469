internal import ArgumentParser

/// Measures the API beside pgbench and a plain Hummingbird server.
struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web",
    abstract: "Compare the API with pgbench and a plain HTTP server",
    discussion: """
      Creates a private, durable PostgreSQL in --home, starts `fettle serve` on it, and
      stops both at the end; remove the folder afterwards. Requests are sent by `wrk`.
      pgbench repeats the statements of the same requests, in the same round trips.

      Example: fettle-bench web --home /var/tmp/bench --quick
      """
  )

  @Option(help: "Empty folder for the private PostgreSQL, on the disk to measure")
  var home: String

  @Flag(help: "Short rounds: all figures in about two minutes")
  var quick = false

  @Option(help: "Number of measurements per side (default: 7; with --quick 3)")
  var rounds: Int?

  @Option(help: "Seconds per measurement (default: 10; with --quick 2)")
  var seconds: Int?

  @Option(help: "Number of concurrent callers, 2 to 64")
  var clients = 16

  @Option(help: "Number of idle connections (default: 10000; with --quick 1000)")
  var idle: Int?

  @Option(
    parsing: .upToNextOption,
    help: "Figures to measure: get, unchanged, list, transition, limiter, idle (default: all)"
  )
  var only: [WebFigures.Kind] = []

  @Flag(help: "Print the pgbench scripts")
  var showScripts = false

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home is an absolute path") }
    guard (2...64).contains(clients) else { throw ValidationError("--clients is 2 to 64") }
    guard (1...20_000).contains(idle ?? 1) else { throw ValidationError("--idle is 1 to 20000") }
  }

  func run() async throws {
    let plan = Plan(
      rounds: rounds ?? (quick ? 3 : 7),
      seconds: seconds ?? (quick ? 2 : 10),
      clients: clients,
      pinnedSeconds: 0,
      importRows: 0,
      importFile: nil,
      showsScripts: showScripts,
      kinds: []
    )
    let idle = idle ?? (quick ? 1_000 : 10_000)
    let kinds = only.isEmpty ? Set(WebFigures.Kind.allCases) : Set(only)
    try await BenchServer.with(home: home) { server in
      let figures = WebFigures(server: server, plan: plan, idle: idle, kinds: kinds)
      let (lines, notes) = try await figures.measure()
      Report.print(lines, facts: try await server.facts(), plan: plan)
      for note in notes { print(note) }
    }
  }
}
