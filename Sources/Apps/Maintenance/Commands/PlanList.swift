internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

/// Lists plans, those that are due alone on request.
struct PlanList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List plans with when they are due.",
    discussion: "Example: fettle plan list --company acme --machine RM-001"
  )
  @OptionGroup var options: RecordOptions
  @Flag(help: "Only plans that are due for a new entry.") var due = false
  @Option(help: "Only plans of this machine, by its code.") var machine: String?
  @Option(help: "Only plans in this status.") var status: String?
  @Option(help: "How many at most.") var limit = 100

  func run() async throws {
    var query = RecordQuery()
    query.sort = "next_due_on"
    query.limit = limit
    if due { query.filters.append(("is_due", "true")) }
    for (column, value) in [("machine_code", machine), ("status", status)] {
      if let value { query.filters.append((column, value)) }
    }
    try await RecordActions(options: options, type: "maintenance.pm_plan").list(
      query,
      columns: [
        "id", "machine_code", "title", "status", "next_due_on", "next_due_units", "total_units", "is_due",
        "has_open_entry",
      ]
    )
  }
}
