internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// Lists the readings of a meter.
struct MeterReadings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readings",
    abstract: "List what a meter showed, newest first.",
    discussion: "Example: fettle meter readings Hours --machine RM-001 --company acme"
  )
  @OptionGroup var options: RecordOptions
  @Argument(help: "The meter's name, or its id.") var meter: String
  @Option(help: "The machine's code.") var machine: String
  @Option(help: "How many at most.") var limit = 50

  func run() async throws {
    var query = RecordQuery()
    query.sort = "-taken_at"
    query.limit = limit
    query.filters = [("meter_id", try await MeterName(options: options).id(of: meter, on: machine))]
    try await RecordActions(options: options, type: "maintenance.meter_reading")
      .list(query, columns: ["taken_at", "value", "is_reset", "id"])
  }
}
