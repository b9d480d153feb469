internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

/// Lists the readings of a meter, identified by machine and name.
struct MeterReadings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readings",
    abstract: "List the readings of a meter, newest first",
    scope: .company,
    discussion: "Example: fettle meter readings Hours --machine RM-001 --company acme"
  )
  @OptionGroup var options: RecordOptions
  @Argument(help: "Name or id of the meter") var meter: String
  @Option(
    help: "Code of the machine",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
  ) var machine: String
  @Option(help: "Maximum number of rows") var limit = 50

  func run() async throws {
    var query = RecordQuery()
    query.sort = "-taken_at"
    query.limit = limit
    query.filters = [("meter_id", try await MeterName(options: options).id(of: meter, on: machine))]
    try await RecordActions(options: options, type: "maintenance.meter_reading")
      .list(query, columns: ["taken_at", "value", "is_reset", "first_value", "id"])
  }
}
