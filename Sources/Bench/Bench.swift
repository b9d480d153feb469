internal import ArgumentParser
internal import FoundationEssentials

/// Measures Fettle beside other tools on the same PostgreSQL at the same time.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-bench",
    abstract: "Compare Fettle with other tools on this machine",
    subcommands: [RecordsCommand.self, JobsCommand.self, DrainCommand.self],
    defaultSubcommand: RecordsCommand.self
  )
}

/// Measures work on records.
struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "Compare Fettle with pgbench and COPY in one table",
    discussion: """
      A private, durable PostgreSQL is made in --home and removed afterwards. Each figure is measured in turns:
      ours, theirs, theirs, ours, and so on, so that both meet the same machine; what counts is the ratio.

      Example: fettle-bench --home /var/tmp/bench --quick
      """
  )

  @Option(help: "Empty folder for the private PostgreSQL, on the disk to measure")
  var home: String

  @Flag(help: "Short rounds: the whole table in about two minutes")
  var quick = false

  @Option(help: "Measurements per side of a figure")
  var rounds: Int?

  @Option(help: "Seconds per measurement")
  var seconds: Int?

  @Option(help: "Concurrent callers")
  var clients = 8

  @Option(help: "Minutes of load for figures with a snapshot held open")
  var pinnedMinutes: Double?

  @Option(help: "Generated rows to import")
  var importRows: Int?

  @Option(help: "Additional file of work orders to import, with the headings of the excavators' file")
  var importFile: String?

  @Option(
    parsing: .upToNextOption,
    help: "Only these figures: transitions, bulk, roundtrips, pinned, import"
  )
  var only: [Figures.Kind] = []

  @Flag(help: "Print the pgbench scripts")
  var showScripts = false

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home takes an absolute path") }
    guard (1...64).contains(clients) else { throw ValidationError("--clients takes 1 to 64") }
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
