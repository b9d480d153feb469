internal import ArgumentParser

/// Measures the synchronisation of devices beside PostgreSQL and Kinto.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Compare synchronisation with pgbench and Kinto",
    discussion: """
      Creates a private, durable PostgreSQL in --home, starts `fettle serve` on it, and
      stops both at the end; remove the folder afterwards. Devices send their requests
      over HTTP on 127.0.0.1. With --peers, Kinto runs on the same PostgreSQL. Exit
      code 1 if a group of figures failed, or if a device missed changes.

      Examples:
        fettle-bench sync --home /var/tmp/bench --quick
        fettle-bench sync --home /var/tmp/bench --only push single
        fettle-bench sync --home /var/tmp/bench --peers .build/peers/bin/python
      """
  )

  @Option(help: "Empty folder for the private PostgreSQL, on the disk to measure")
  var home: String

  @Flag(help: "Fewer, shorter rounds and a tenth of the records")
  var quick = false

  @Option(help: "Number of measurements per side (default: 5; with --quick 2)")
  var rounds: Int?

  @Option(help: "Seconds per measurement of a rate (default: 5; with --quick 1)")
  var seconds: Int?

  @Option(help: "Number of records of a first pull (default: 100000; with --quick 10000)")
  var records: Int?

  @Option(help: "Number of single requests per round (default: 200; with --quick 50)")
  var samples: Int?

  @Option(help: "Number of idle hint streams (default: 10000; with --quick 1000)")
  var streams: Int?

  @Option(help: "Python of the environment made by deploy/peers/setup (default: without Kinto)")
  var peers: String?

  @Option(
    parsing: .upToNextOption,
    help: "Figures: push, single, first, changed, unchanged, streams or missed (default: all)"
  )
  var only: [SyncFigures.Kind] = []

  @Flag(help: "Print the pgbench scripts")
  var showScripts = false

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home is an absolute path") }
    guard records ?? 1_000 >= 1_000 else { throw ValidationError("--records is 1000 or more") }
    guard samples ?? 10 >= 10 else { throw ValidationError("--samples is 10 or more") }
    guard (1...20_000).contains(streams ?? 1) else { throw ValidationError("--streams is 1 to 20000") }
  }

  func run() async throws {
    let plan = SyncPlan(
      rounds: rounds ?? (quick ? 2 : 5),
      seconds: seconds ?? (quick ? 1 : 5),
      records: records ?? (quick ? 10_000 : 100_000),
      samples: samples ?? (quick ? 50 : 200),
      streams: streams ?? (quick ? 1_000 : 10_000),
      peers: peers,
      showsScripts: showScripts,
      kinds: only.isEmpty ? Set(SyncFigures.Kind.allCases) : Set(only)
    )
    try await BenchServer.with(home: home) { server in
      let (lines, failed) = try await SyncFigures(server: server, plan: plan).measure()
      SyncReport.print(lines, facts: try await server.facts(), plan: plan)
      if !failed.isEmpty { throw ExitCode.failure }
    }
  }
}

/// The sizes of the measurements.
struct SyncPlan: Sendable {
  let rounds: Int
  let seconds: Int
  let records: Int
  let samples: Int
  let streams: Int
  let peers: String?
  let showsScripts: Bool
  let kinds: Set<SyncFigures.Kind>
}
