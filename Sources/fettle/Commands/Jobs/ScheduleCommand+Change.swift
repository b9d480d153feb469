internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension ScheduleCommand {
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a schedule of the company's own",
      scope: .company,
      discussion: """
        Each due time enqueues a job of the kind, whose payload names the schedule. A
        worker runs it with an app's handler, or with --handler.

        Example:
          fettle schedule add report.weekly report.print --cron '0 6 * * 1' \\
            --new-kind --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name of the schedule, such as report.weekly") var name: String
    @Argument(
      help: "Kind of the job",
      completion: .custom { _, _, _ in await LiveCompletion.kinds() }
    )
    var kind: String
    @Option(help: ArgumentHelp("Minute, hour, day of month, month, day of week", valueName: "'0 6 * * 1'"))
    var cron: String
    @Option(help: ArgumentHelp("Time zone (default: the company's)", valueName: "Area/City"))
    var timezone: String?
    @Flag(help: "Accept a kind that no job has had yet") var newKind = false
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      _ = try await options.company.withActingContext { services, acting in
        if !newKind { try await KnownNames(services).requireRunnable(kind: kind) }
        return try await key.once(services, acting, ["schedule add", name, kind, cron, timezone]) {
          try await Schedules(services).add(acting, name: name, kind: kind, cron: cron, timeZone: timezone)
          return name
        }
      }
      try options.output.report(
        "added \(name): \(kind) at \(cron)",
        [(Column("name"), .string(name)), (Column("kind"), .string(kind)), (Column("cron"), .string(cron))]
      )
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a schedule of the company's own",
      scope: .company,
      discussion: "Example: fettle schedule remove report.weekly --company acme"
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
        try await Schedules(services).remove(acting, name: name)
        return ChangeReport("removed \(name)", [(Column("name"), .string(name))])
      }
    }
  }
}
