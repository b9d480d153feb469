internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Manage schedules: jobs at times of a company's zone",
    discussion: """
      Each due time enqueues one job, however many workers run. Due times missed
      while no worker ran are replaced by one job.

      Example: fettle schedule list --company acme
      """,
    subcommands: [List.self, Add.self, Remove.self, Next.self, Run.self, Pause.self, Resume.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List schedules with their next and last run",
      scope: .company,
      discussion: "Example: fettle schedule list --company acme --output json"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let schedules = try await options.company.withActingContext { try await Schedules($0).list($1) }
      let table = Table(
        columns: [
          Column("name"), Column("cron"), Column("timezone", title: "time zone"), Self.state,
          Column("next_at", kind: .instant),
          Column("last_at", kind: .instant), Column("last_job_id"), Column("app"), Column("kind"),
        ],
        rows: schedules.map { schedule in
          [
            .string(schedule.name), .string(schedule.cron), .string(schedule.timeZone),
            .string(schedule.isHeld ? "held" : schedule.pausedAt == nil ? "active" : "paused"),
            Cell(schedule.nextAt), Cell(schedule.lastAt), .optional(schedule.lastJob?.text),
            schedule.app == ScheduleStore.own ? .null : .string(schedule.app), .string(schedule.kind),
          ]
        }
      )
      guard options.output.output == .table, options.output.columns == nil else {
        return try options.output.print(table)
      }
      try options.output.print(
        table,
        forPeople: ["name", "cron", "timezone", "state", "next_at", "last_at"]
      )
    }

    private static let state = Terminal.Column(
      "state",
      kind: .status(["active": .green, "paused": .yellow, "held": .red])
    )
  }

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enqueue the job of a schedule now",
      scope: .company,
      discussion: "Example: fettle schedule run history.seal --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Name of the schedule",
      completion: .custom { words, _, _ in await LiveCompletion.schedules(words) }
    )
    var name: String
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      let job = try await options.company.withActingContext { services, acting in
        try await key.once(services, acting, ["schedule", name]) {
          try await Schedules(services).run(acting, name: name)
        }
      }
      try options.output.report(
        "enqueued \(name) as job \(job.text)",
        [(Column("name"), .string(name)), (Column("job_id"), Cell(job))]
      )
    }
  }

  struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pause a schedule; its due times are skipped",
      scope: .company,
      discussion: "Example: fettle schedule pause history.seal --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Name of the schedule",
      completion: .custom { words, _, _ in await LiveCompletion.schedules(words) }
    )
    var name: String
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        try await Schedules(services).pause(acting, name: name)
        return ChangeReport("paused \(name)", [(Column("name"), .string(name)), (Column("state"), "paused")])
      }
    }
  }

  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Resume a paused schedule",
      scope: .company,
      discussion: "Example: fettle schedule resume history.seal --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Name of the schedule",
      completion: .custom { words, _, _ in await LiveCompletion.schedules(words) }
    )
    var name: String
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await key.change(options.company, options.output) { services, acting in
        try await Schedules(services).resume(acting, name: name)
        return ChangeReport(
          "resumed \(name)",
          [(Column("name"), .string(name)), (Column("state"), "active")]
        )
      }
    }
  }
}
