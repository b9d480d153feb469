internal import ArgumentParser
internal import CoreCommands
internal import Engine
internal import Store
internal import Terminal

extension ScheduleCommand {
  struct Next: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the next due times of schedules",
      scope: .company,
      discussion: """
        Due times follow the schedule's time zone, so they shift in UTC with summer
        time. Paused schedules have no due times.

        Examples:
          fettle schedule next --company acme
          fettle schedule next history.seal --count 10 --company acme
        """
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Name of the schedule (default: all)",
      completion: .custom { words, _, _ in await LiveCompletion.schedules(words) }
    ) var name: String?
    @Option(help: "Number of due times per schedule, 1 to 1000") var count = 5

    func validate() throws {
      guard (1...1_000).contains(count) else { throw ValidationError("--count is 1 to 1000") }
    }

    func run() async throws {
      let times = try await options.company.withActingContext {
        try await Schedules($0).next($1, name: name, count: count)
      }
      try options.output.print(
        Table(
          columns: [Column("name"), Column("timezone", title: "time zone"), Column("at", kind: .instant)],
          rows: times.map { [.string($0.schedule.name), .string($0.schedule.timeZone), Cell($0.at)] }
        )
      )
    }
  }
}
