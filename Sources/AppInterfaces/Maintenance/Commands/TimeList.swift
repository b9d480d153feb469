internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

/// Lists hours, of one entry or of all entries.
struct TimeList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List hours of one entry or of all entries",
    scope: .company,
    discussion: "Example: fettle time list WO-1003 --company acme"
  )
  @OptionGroup var options: RecordOptions
  @Argument(
    help: "Number or id of the entry (default: all entries)",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
  ) var entry: String?
  @Option(help: "Maximum number of rows") var limit = 100

  func run() async throws {
    var query = RecordQuery()
    query.limit = limit
    if let entry { query.conditions.append(RecordCondition("entry_id", .equal, [entry])) }
    try await RecordActions(options: options, type: "maintenance.time_entry").list(
      query,
      columns: [
        "entry_number", "work_date", "user_name", "start_time", "end_time", "has_lunch",
        "actual_hours", "id",
      ]
    )
  }
}
