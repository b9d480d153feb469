internal import ArgumentParser

/// Measures transitions, round trips and imports.
struct RecordsCommand: FigureCommand {
  static let configuration = CommandConfiguration(
    commandName: "records",
    abstract: "Compare transitions and imports with pgbench and COPY",
    discussion: BenchOptions.discussion(groups, example: "--home /var/tmp/bench --quick")
  )
  static let groups = ["transitions", "bulk", "pinned", "import"]
  static let sizes = [(rounds: 7, seconds: 10), (rounds: 3, seconds: 2)]
  static let report = Report(
    cpu: ["CPU"],
    sharers: "server and callers",
    text:
      "8 callers, or --clients, unless a figure says otherwise. CPU: microseconds per unit, of the caller."
  )

  @OptionGroup var options: BenchOptions

  @Option(help: "Number of concurrent callers, 1 to 64")
  var clients = 8

  @Option(help: "Minutes of load with a snapshot held open (default: 0.5; with --quick 0.2)")
  var pinnedMinutes: Double?

  @Option(help: "Number of generated rows to import")
  var importRows = 50_000

  @Option(help: "File of work orders to import too: BscStartDate, Asset, OriginalShorttext, PMType, Cost")
  var importFile: String?

  func validate() throws {
    guard (1...64).contains(clients) else { throw ValidationError("--clients is 1 to 64") }
  }

  func measure(_ plan: Plan) async throws -> Plan.Outcome {
    let pinned = PinnedFigures(plan: plan, seconds: Int((pinnedMinutes ?? (plan.quick ? 0.2 : 0.5)) * 60))
    let hundred = (companies: Fixture.hundred, each: Fixture.entriesOfEach)
    let empty = (companies: Fixture.empty...Fixture.empty, each: 0)
    try await Fixture.fill(plan.server, [(1...1, Fixture.entriesOfOne), hundred, empty])
    if plan.only.contains("pinned") { try await plan.server.copy(to: PinnedFigures.free) }
    return await plan.outcome([
      "transitions": { try await TransitionFigures(plan: plan).measure() },
      "bulk": { try await TransitionFigures(plan: plan).bulk() },
      "pinned": { try await pinned.measure() },
      "import": { try await ImportFigures(plan: plan).measure(rows: importRows, importFile) },
    ])
  }
}
