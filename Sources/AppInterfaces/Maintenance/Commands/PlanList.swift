internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

/// Lists plans with their due dates.
struct PlanList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List plans with their due dates",
    scope: .company,
    discussion: "Example: fettle plan list --company acme --machine RM-001"
  )
  @OptionGroup var options: RecordOptions
  @Flag(help: "Only plans that are due today or by their meter") var due = false
  @Option(
    help: "Only plans of the machine with this code",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
  ) var machine: String?
  @Option(
    help: "Only plans in this status",
    completion: .custom { _, _, _ in await LiveCompletion.states(of: "maintenance.pm_plan") }
  ) var status: String?
  @Option(help: "Maximum number of rows") var limit = 100

  func run() async throws {
    var query = RecordQuery()
    query.sort = "next_due_on"
    query.limit = limit
    if due { query.filters.append(("is_due", "true")) }
    for (column, value) in [("machine_id", machine), ("status", status)] {
      if let value { query.filters.append((column, value)) }
    }
    try await RecordActions(options: options, type: "maintenance.pm_plan").list(
      query,
      columns: [
        "id", "machine_code", "title", "status", "next_due_on", "next_due_reading", "meter_reading", "is_due",
        "has_open_entry",
      ]
    )
  }
}
