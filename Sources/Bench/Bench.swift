internal import ArgumentParser
internal import FoundationEssentials

/// Measures Fettle and other tools in alternation on the same PostgreSQL.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-bench",
    abstract: "Compare Fettle with other tools on this machine",
    subcommands: [
      RecordsCommand.self, JobsCommand.self, WebCommand.self, SyncCommand.self, DrainCommand.self,
      HelloCommand.self,
    ],
    defaultSubcommand: RecordsCommand.self
  )
}

/// Measures transitions, round trips and imports.
struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "Compare transitions and imports with pgbench and COPY",
    discussion: """
      Creates a private, durable PostgreSQL in --home and stops it at the end; remove
      the folder afterwards. Each figure is measured in alternation: ours, theirs,
      theirs, ours, and so on, so that both run under the same conditions. Judge the
      ratio, not the absolute figures.

      Example: fettle-bench --home /var/tmp/bench --quick
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

  @Option(help: "Number of concurrent callers, 1 to 64")
  var clients = 8

  @Option(help: "Minutes of load with a snapshot held open (default: 0.5; with --quick 0.2)")
  var pinnedMinutes: Double?

  @Option(help: "Number of generated rows to import (default: 50000)")
  var importRows: Int?

  @Option(help: "File of work orders to import too: BscStartDate, Asset, OriginalShorttext, PMType, Cost")
  var importFile: String?

  @Option(
    parsing: .upToNextOption,
    help: "Figures to measure: transitions, bulk, roundtrips, pinned, import (default: all)"
  )
  var only: [Figures.Kind] = []

  @Flag(help: "Print the pgbench scripts")
  var showScripts = false

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home is an absolute path") }
    guard (1...64).contains(clients) else { throw ValidationError("--clients is 1 to 64") }
  }

  func run() async throws {
    let plan = Plan(
      rounds: rounds ?? (quick ? 3 : 7),
      seconds: seconds ?? (quick ? 2 : 10),
      clients: clients,
      pinnedSeconds: pinnedMinutes.map { Int($0 * 60) } ?? (quick ? 12 : 30),
      importRows: importRows ?? 50_000,
      importFile: importFile,
      showsScripts: showScripts,
      kinds: only.isEmpty ? Set(Figures.Kind.allCases) : Set(only)
    )
    try await BenchServer.with(home: home) { server in
      let figures = Figures(server: server, plan: plan)
      Report.print(try await figures.measure(), facts: try await server.facts(), plan: plan)
    }
  }
}

/// The sizes of the measurements.
struct Plan: Sendable {
  let rounds: Int
  let seconds: Int
  let clients: Int
  let pinnedSeconds: Int
  let importRows: Int
  let importFile: String?
  let showsScripts: Bool
  let kinds: Set<Figures.Kind>
}
