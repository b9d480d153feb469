internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials

/// Corrects a reading of a meter.
struct MeterCorrect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "correct",
    abstract: "Correct a reading of a meter",
    scope: .company,
    discussion: """
      Corrects the last reading, or the reading at the time of --at. Recomputes the plans of the meter.

      Examples:
        fettle meter correct Hours 1204.5 --machine RM-001 --company acme --as ana
        fettle meter correct Hours 3 --at 2026-03-28T21:00:00Z --reset --machine RM-1
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var reading: ReadingArguments
  @Argument(help: "Correct value") var value: String
  @Flag(inversion: .prefixedNo, help: "Record whether the counter was set back or replaced") var reset: Bool?
  @Option(help: ArgumentHelp("First reading of the new counter (default: this one)", valueName: "number"))
  var firstValue: String?

  func run() async throws {
    var fields: JSONObject = ["value": .string(value)]
    if let reset { fields["is_reset"] = .bool(reset) }
    if let firstValue {
      fields["first_value"] = .string(firstValue)
    } else if reset == false {
      fields["first_value"] = .null
    }
    try await RecordActions(options: options, type: "maintenance.meter_reading")
      .update(change, try await reading.id(options), fields, version: nil)
  }
}

/// Withdraws a reading of a meter.
struct MeterWithdraw: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw",
    abstract: "Withdraw a reading of a meter",
    scope: .company,
    discussion: """
      Withdraws the last reading, or the reading at the time of --at. Recomputes the plans of the meter.

      Example: fettle meter withdraw Hours --machine RM-001 --comment misread
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @OptionGroup var removal: RemovalOptions
  @OptionGroup var reading: ReadingArguments

  func run() async throws {
    try await RecordActions(options: options, type: "maintenance.meter_reading")
      .delete(change, try await reading.id(options), removal)
  }
}

/// A reading, identified by its meter and time.
struct ReadingArguments: ParsableArguments {
  @Argument(help: "Name or id of the meter") var meter: String
  @Option(help: "Code of the machine") var machine: String
  @Option(
    help: ArgumentHelp("Time of the reading (default: the last one)", valueName: "2026-03-28T21:00:00Z")
  )
  var at: String?

  /// Returns the id of the reading.
  ///
  /// - Throws: `not_found` if there is no such machine, meter or reading; `invalid_instant` for an invalid
  ///   time.
  func id(_ options: RecordOptions) async throws -> String {
    let meterID = try await MeterName(options: options).id(of: meter, on: machine)
    return try await options.company.withActingContext { services, acting in
      var query = RecordQuery()
      query.sort = "-taken_at"
      query.limit = 1
      query.filters = [("meter_id", meterID)]
      if let at { query.filters.append(("taken_at", try Instant(parsing: at).rfc3339)) }
      let found = try await Records.open(services).list(acting, type: "maintenance.meter_reading", query)
      guard let id = found.first?["id"]?.string else {
        throw DomainError(
          .notFound,
          "\(meter) of \(machine) has no reading\(at.map { " at \($0)" } ?? "")",
          hint: "list the readings with `fettle meter readings`"
        )
      }
      return id
    }
  }
}
