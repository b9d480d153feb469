internal import ArgumentParser

/// Measures Fettle and other tools in alternation on the same PostgreSQL.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-bench",
    abstract: "Compare Fettle with other tools on this machine",
    subcommands: [
      RecordsCommand.self, JobsCommand.self, WebCommand.self, SyncCommand.self, WorkerCommand.self,
      HelloCommand.self,
    ],
    defaultSubcommand: RecordsCommand.self
  )
}

struct BenchOptions: ParsableArguments {
  /// Returns what the help of a command says.
  static func discussion(_ groups: [String], _ more: String = "", example: String) -> String {
    """
    Creates a private, durable PostgreSQL in --home and stops it at the end; remove
    the folder afterwards. Each figure is measured in alternation: ours, theirs,
    theirs, ours, and so on. Judge the ratio, not the absolute figures. Exit code 1
    if a group of figures failed. deploy/peers/README.md has the figures of decided
    contests: round trips, lists in other designs, missed changes. \(more)

    Groups: \(groups.joined(separator: ", ")).
    Example: fettle-bench \(example)
    """
  }

  @Option(help: "Empty folder for the private PostgreSQL, on the disk to measure")
  var home: String

  @Flag(help: "Fewer and shorter rounds, and fewer records")
  var quick = false

  @Option(help: "Number of measurements per side (default: 7, jobs and sync 5; with --quick 3, sync 2)")
  var rounds: Int?

  @Option(help: "Seconds per measurement of a rate (default: 10, jobs 8, sync 5; with --quick 2, 3, 1)")
  var seconds: Int?

  @Option(help: "Python of the environment made by deploy/peers/setup (default: without these peers)")
  var peers: String?

  @Option(parsing: .upToNextOption, help: "Groups of figures to measure (default: all)")
  var only: [String] = []

  @Flag(help: "Print the pgbench scripts")
  var showScripts = false

  func validate() throws {
    guard home.hasPrefix("/") else { throw ValidationError("--home is an absolute path") }
    guard min(rounds ?? 1, seconds ?? 1) > 0 else {
      throw ValidationError("--rounds and --seconds are positive")
    }
  }
}

/// A command that measures groups of figures.
protocol FigureCommand: AsyncParsableCommand {
  static var groups: [String] { get }
  /// The rounds and seconds without and with --quick.
  static var sizes: [(rounds: Int, seconds: Int)] { get }
  static var report: Report { get }

  var options: BenchOptions { get }
  var clients: Int { get }

  func measure(_ plan: Plan) async throws -> Plan.Outcome
}

extension FigureCommand {
  /// - Throws: exit code 1 if a group failed.
  func run() async throws {
    for group in options.only where !Self.groups.contains(group) {
      throw ValidationError("--only has no group \(group): \(Self.groups.joined(separator: ", "))")
    }
    try await BenchServer.with(home: options.home) { server in
      let size = Self.sizes[options.quick ? 1 : 0]
      let plan = Plan(
        server: server,
        peers: Peers(server, python: options.peers),
        quick: options.quick,
        rounds: options.rounds ?? size.rounds,
        seconds: options.seconds ?? size.seconds,
        clients: clients,
        only: options.only.isEmpty ? Self.groups : options.only,
        showsScripts: options.showScripts
      )
      let (lines, hasFailed) = try await measure(plan)
      Self.report.print(lines, plan, facts: try await server.facts())
      if hasFailed { throw ExitCode.failure }
    }
  }
}

/// What a run measures, and where.
struct Plan: Sendable {
  /// The lines of the groups that were measured, and whether a group failed.
  typealias Outcome = (lines: [Line], hasFailed: Bool)

  let server: BenchServer
  let peers: Peers
  let quick: Bool
  let rounds: Int
  let seconds: Int
  let clients: Int
  let only: [String]
  let showsScripts: Bool

  func show(_ script: TraceScript, _ name: String) {
    if showsScripts { print("-- \(name)\n\(script.text)") }
  }

  func contest(_ unit: String, _ ours: Side..., beside peers: [Side] = []) async throws -> [Line] {
    try await Contest(unit: unit, ours: ours, peers: peers).run(rounds)
  }

  /// Measures the chosen groups one after the other; continues after a failed group.
  func outcome(_ groups: KeyValuePairs<String, () async throws -> [Line]>) async -> Outcome {
    var outcome: Outcome = ([], false)
    for (name, measure) in groups where only.contains(name) {
      Report.progress(name)
      do {
        outcome.lines += try await measure()
      } catch {
        Report.progress("\(name) failed: \(error)")
        outcome.hasFailed = true
      }
    }
    return outcome
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
