internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// Records what a meter shows.
struct MeterRead: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Write down what a meter shows.",
    discussion: """
      Examples:
        fettle meter read Hours 1204.5 --machine RM-001 --company acme
        fettle meter read Hours 3 --machine RM-001 --reset --company acme
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "The meter's name, or its id.") var meter: String
  @Argument(help: "What it shows.") var value: String
  @Option(help: "The machine's code.") var machine: String
  @Option(help: ArgumentHelp("When it was read; default: now.", valueName: "2026-03-28T21:00:00Z"))
  var at: String?
  @Flag(help: "The counter was set back or replaced: this value counts from zero.") var reset = false

  func run() async throws {
    let id = try await MeterName(options: options).id(of: meter, on: machine)
    let taken: String
    if let at {
      taken = at
    } else {
      taken = try await options.company.connection.withServices { services in
        try await services.database.value("select now()", as: Timestamp.self).description
      }
    }
    try await RecordActions(options: options, type: "maintenance.meter_reading").create(
      change,
      [
        "meter_id": .string(id), "value": .string(value), "taken_at": .string(taken),
        "is_reset": .bool(reset),
      ]
    )
  }
}
