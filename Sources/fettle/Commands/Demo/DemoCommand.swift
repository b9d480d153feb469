internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Demo
internal import Domain
internal import Engine
internal import Synchronization
internal import Terminal

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Create demo companies, small or large",
    discussion: """
      Examples:
        fettle demo                    one company with a few records, in seconds
        fettle demo load --scale M     40 companies with 460 memberships
      """,
    subcommands: [Make.self, Load.self, Refresh.self],
    defaultSubcommand: Make.self
  )

  struct Make: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create the demo company",
      scope: .installation,
      discussion: """
        The company has the short name demo. Another run completes an interrupted one.

        Example: fettle demo make
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await connection.withServices {
        try await DemoCompany($0, CompiledApps.demos).load(operatorName: Operator.name)
      }
      try output.report(
        "the demo company exists; try: fettle entry list -c demo",
        [(Column("company"), "demo")]
      )
    }
  }

  struct Refresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the dates of the demo company to today",
      scope: .installation,
      discussion: "Example: fettle demo refresh"
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let moved = try await connection.withServices { services in
        let company = try await ActingContexts(services).company("demo")
        return try await DemoGuest(services, try await Records.open(services), CompiledApps.demos)
          .refresh(company)
      }
      try output.report("moved \(moved) records", [(Column("moved"), .integer(moved))])
    }
  }

  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Load generated companies, the same in every run",
      scope: .installation,
      discussion: """
        The scale S is for tests (3 companies), M for trying out the commands (40), and
        L for load tests (2,000): 18 million records and 10 million samples, which take
        25 GB and half an hour on two processors.

        A second run with the same options adds nothing, or continues an interrupted
        load. Another scale or --number adds other companies.

        Examples:
          fettle demo load --scale S
          fettle demo load --scale M --app maintenance --number 7
          fettle demo load --scale S --sample-days 3
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Option(help: "Scale") var scale: DemoScale
    @Option(
      help: ArgumentHelp("Only this app, repeatable (default: all apps)", valueName: "app"),
      completion: .list(CompiledApps.demos.map(\.app).sorted())
    )
    var app: [String] = []
    @Option(help: "Number of the load, the seed of its random data") var number = 1
    @Option(help: ArgumentHelp("Base day of all dates (default: today, UTC)", valueName: "yyyy-mm-dd"))
    var on: String?

    @Option(
      help: ArgumentHelp(
        "Days of time series (default: S 1, M 90, L 16)",
        valueName: "days"
      )
    )
    var sampleDays: Int?

    func validate() throws {
      if let sampleDays, !(1...3_660).contains(sampleDays) {
        throw ValidationError("--sample-days is from 1 to 3660")
      }
    }

    func run() async throws {
      var request = DemoLoad.Request(scale: scale)
      request.sampleDays = sampleDays
      request.number = number
      request.apps = app.isEmpty ? nil : Set(app)
      request.day = try on.map { try LocalDate(parsing: $0) }
      let wanted = request
      let outcome = try await connection.withServices { services in
        let bar = Mutex<ProgressBar?>(nil)
        let outcome = try await DemoLoad(services, CompiledApps.demos).run(wanted) { done, total in
          bar.withLock { bar in
            if bar == nil { bar = ProgressBar("loading", unit: "rows", total: total, on: .errors) }
            bar?.advance(to: done)
          }
        }
        bar.withLock { $0?.finish() }
        return outcome
      }
      try output.report(
        "\(Figures.grouped(outcome.companies)) companies; added \(Figures.grouped(outcome.records)) records and "
          + "\(Figures.grouped(outcome.samples)) samples",
        [
          (Column("companies"), .integer(outcome.companies)), (Column("records"), .integer(outcome.records)),
          (Column("samples"), .integer(outcome.samples)),
        ]
      )
    }
  }
}

extension DemoScale: ExpressibleByArgument {
  init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}
