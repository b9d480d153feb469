internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct QueueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "queue",
    abstract: "Inspect and control queues",
    discussion: """
      Examples:
        fettle queue stats
        fettle queue pause --kind solar.push --reason "the utility is down"
        fettle queue limit --kind solar.push --running 4 --rate 100/minute
      """,
    subcommands: [Stats.self, List.self, Pause.self, Resume.self, Limit.self, Maintain.self],
    defaultSubcommand: Stats.self
  )

  struct Stats: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Count jobs by queue and kind, with the oldest one",
      scope: .companyOrAll,
      discussion: """
        In tables, 5+ means at least 5, and ~5 means at most 5; in other formats, the
        column exact is false instead. waiting counts jobs scheduled for later, running
        those claimed by a worker. started_minute and started_hour always count the
        jobs of all companies.

        Examples:
          fettle queue stats
          fettle queue stats --company acme --output json
        """
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let counts = try await UnhandledKinds.counts(options)
      let isForPeople = options.output.output == .table
      func cell(_ count: JobCounts.Count, _ mark: String) -> Cell {
        guard isForPeople, !count.isExact else { return .integer(count.jobs) }
        return .string(mark == "~" ? "~\(count.jobs)" : "\(count.jobs)\(mark)")
      }
      let table = Table(
        columns: [
          Column("queue"), Column("kind"),
          Column("state", kind: .status(["active": .green, "paused": .yellow])),
        ]
          + ["queued", "waiting", "retrying", "running", "dead", "cancelled"].map {
            Column($0, kind: .number)
          }
          + [
            Column("oldest_at", kind: .instant),
            Column("started_minute", title: "started last minute", kind: .number),
          ]
          + [Column("started_hour", title: "started last hour", kind: .number), Column("exact")],
        rows: counts.lines.map { line in
          let counts = [line.queued, line.waiting, line.retrying, line.running, line.dead, line.cancelled]
          return [.string(line.queue), .string(line.kind), line.isPaused ? "paused" : "active"]
            + [
              cell(line.queued, "+"), cell(line.waiting, "+"), cell(line.retrying, "+"),
              cell(line.running, "~"),
              cell(line.dead, "+"), cell(line.cancelled, "+"),
            ]
            + [Cell(line.oldest), .integer(line.started.minute), .integer(line.started.hour)]
            + [.bool(counts.allSatisfy(\.isExact) && line.oldestIsExact)]
        }
      )
      guard isForPeople, options.output.columns == nil else { return try options.output.print(table) }
      try options.output.print(
        table,
        forPeople: [
          "queue", "kind", "state", "queued", "waiting", "retrying", "running", "dead", "oldest_at",
          "started_minute",
        ]
      )
      try await UnhandledKinds.tell(
        options,
        counts: counts,
        kinds: Set(counts.lines.filter { $0.queued.jobs > 0 }.map(\.kind))
      )
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List pauses and limits",
      scope: .installation,
      discussion: "Example: fettle queue list --output json"
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let rules = try await connection.withServices { try await QueueAdministration($0).rules() }
      try output.print(
        Table(
          columns: [
            Column("rule", kind: .status(["pause": .yellow, "limit": .blue])), Column("company"),
            Column("queue"),
            Column("kind"), Column("each_company"), Column("running", kind: .number), Column("rate"),
            Column("reason"), Column("by"), Column("since", kind: .instant),
          ],
          rows: rules.map { rule in
            let rate = rule.rateCount.map { "\($0)/\(Int(clamping: rule.ratePeriod ?? 0))s" }
            return [
              .string(rule.rule.rawValue), .string(rule.company ?? "all"), .optional(rule.queue),
              .optional(rule.kind),
              .bool(rule.isForEach), rule.maxRunning.map { .integer($0) } ?? .null, .optional(rate),
              .optional(rule.reason), .string(rule.madeBy), Cell(rule.createdAt),
            ]
          }
        )
      )
    }
  }

  struct Maintain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Maintain job partitions, as workers do",
      scope: .installation,
      discussion: """
        Opens the partitions of coming weeks. Drops a weekly partition that is older
        than --finished if all its jobs have ended. Deletes dead and cancelled jobs
        that are older than --ended.

        Examples:
          fettle queue maintain --dry-run
          fettle queue maintain --finished 14d --ended 365d
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Option(help: ArgumentHelp("Retention of finished jobs, 1d or more (default: 28d)", valueName: "time"))
    var finished: TimeSpan?
    @Option(
      help: ArgumentHelp("Retention of dead and cancelled jobs, 1d or more (default: 90d)", valueName: "time")
    )
    var ended: TimeSpan?
    @Flag(help: "Print the pending steps without running them") var dryRun = false

    func validate() throws {
      for span in [finished, ended].compactMap(\.self) where span.duration < .seconds(86_400) {
        throw ValidationError("--finished and --ended are at least 1d")
      }
    }

    func run() async throws {
      let steps = try await connection.withServices { services in
        var maintenance = QueueMaintenance(services.database)
        if let finished { maintenance.finished = finished.duration }
        if let ended { maintenance.ended = ended.duration }
        let acting = try await ActingContexts(services).take(
          company: "system",
          operatorName: Operator.name,
          as: nil
        )
        return try await QueueAdministration(services).maintain(acting, maintenance, dryRun: dryRun)
      }
      try output.print(
        Table(
          columns: [
            Column("action", kind: .status(["drop": .red, "keep": .green, "open": .blue, "forget": .red])),
            Column("subject"), Column("note"),
          ],
          rows: steps.map { [.string($0.action.rawValue), .string($0.subject), .string($0.note)] }
        )
      )
      if steps.isEmpty { Message.tell("nothing to do") }
    }
  }
}
