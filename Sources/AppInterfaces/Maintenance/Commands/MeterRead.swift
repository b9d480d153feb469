internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// Records a reading of a meter, identified by machine and name.
struct MeterRead: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Record a reading of a meter",
    scope: .company,
    discussion: """
      A reading below the previous reading is refused. If the counter was set back or replaced, add --reset: the \
      running total then goes on from this reading, or from --first-value if the new counter has counted already. \
      To fix a wrong reading, use `fettle meter correct` or `fettle meter withdraw`.

      Examples:
        fettle meter read Hours 1204.5 --machine RM-001 --company acme
        fettle meter read Hours 3 --machine RM-001 --reset --first-value 0 -c acme
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Name or id of the meter") var meter: String
  @Argument(help: "Reading, in the meter's unit") var value: String
  @Option(
    help: "Code of the machine",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
  ) var machine: String
  @Option(help: ArgumentHelp("Time of the reading (default: now)", valueName: "2026-03-28T21:00:00Z"))
  var at: String?
  @Flag(help: "Record that the counter was set back or replaced") var reset = false
  @Option(help: ArgumentHelp("First reading of the new counter (default: this one)", valueName: "number"))
  var firstValue: String?
  @OptionGroup var others: FieldPairs

  func validate() throws {
    if firstValue != nil, !reset { throw ValidationError("--first-value requires --reset") }
  }

  func run() async throws {
    let id = try await MeterName(options: options).id(of: meter, on: machine)
    let taken: String
    if let at {
      taken = at
    } else {
      taken = try await options.company.connection.withServices { services in
        try await services.database.value("select now()", as: Instant.self).description
      }
    }
    var fields: JSONObject = [
      "meter_id": .string(id), "value": .string(value), "taken_at": .string(taken), "is_reset": .bool(reset),
    ]
    if let firstValue { fields["first_value"] = .string(firstValue) }
    try await RecordActions(options: options, type: "maintenance.meter_reading")
      .create(change, try others.object(with: fields), byClock: at == nil ? ["taken_at"] : [])
  }
}
