internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials

/// Lists hours, those of one entry on request.
struct TimeList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List hours, of one entry or of all.",
    discussion: "Example: fettle time list WO-1003 --company acme"
  )
  @OptionGroup var options: RecordOptions
  @Argument(help: "The entry.") var entry: String?
  @Option(help: "How many at most.") var limit = 100

  func run() async throws {
    var query = RecordQuery()
    query.limit = limit
    if let entry {
      let id = try await options.company.withActingContext { services, acting in
        try await Records.open(services).resolve(acting, type: "maintenance.entry", entry)
      }
      query.filters.append(("entry_id", id.text))
    }
    try await RecordActions(options: options, type: "maintenance.time_entry").list(
      query,
      columns: [
        "work_date", "user_name", "start_time", "end_time", "lunch_break_deducted", "actual_hours",
        "entry_id",
      ]
    )
  }
}
