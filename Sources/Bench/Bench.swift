internal import ArgumentParser
internal import FoundationEssentials

/// Measures Fettle beside what its own tools can do with the same PostgreSQL at the same time.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-bench",
    abstract: "Measures Fettle beside others, on this machine and at the same time.",
    subcommands: [RecordsCommand.self, JobsCommand.self, DrainCommand.self],
    defaultSubcommand: RecordsCommand.self
  )
}

/// Measures the work on records.
struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "Measures Fettle beside pgbench and COPY and prints one table.",
    discussion: """
      A private, durable PostgreSQL is made in --home and removed afterwards. Each figure is measured in turns:
      ours, theirs, theirs, ours, and so on, so that both meet the same machine; what counts is the ratio.

      Example: fettle-bench --home /var/tmp/bench --quick
      """
  )

  @Option(help: "An empty folder for the private PostgreSQL; its disk is what is measured.")
  var home: String

  @Flag(help: "Short rounds: the whole table in about two minutes.")
  var quick = false

  @Option(help: "How often each side of a figure is measured.")
  var rounds: Int?

  @Option(help: "How many seconds one measurement takes.")
  var seconds: Int?

  @Option(help: "How many callers there are at a time.")
  var clients = 8

  @Option(help: "How long the figures with a snapshot held open are under load, in minutes.")
  var pinnedMinutes: Double?

  @Option(help: "How many made-up rows are imported.")
  var importRows: Int?

  @Option(help: "A file of work orders to import too, of the shape of the excavators' file.")
  var importFile: String?

  @Option(
    parsing: .upToNextOption,
    help: "Only these figures: transitions, bulk, roundtrips, pinned, import."
  )
  var only: [Figures.Kind] = []

  @Flag(help: "Print the scripts that pgbench is given.")
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

/// How much is measured.
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
