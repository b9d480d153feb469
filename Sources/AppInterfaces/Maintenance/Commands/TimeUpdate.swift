internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain

/// Corrects logged hours.
struct TimeUpdate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Correct logged hours",
    scope: .company,
    discussion: """
      The beginning of an id is enough. `fettle time list --output json` shows the ids.

      Example: fettle time update 01a1… --to 17:00 --company acme --as ana
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Id of the hours, or its beginning") var hours: String
  @Option(help: ArgumentHelp("Start of the work", valueName: "HH:MM")) var from: String?
  @Option(help: ArgumentHelp("End of the work", valueName: "HH:MM")) var to: String?
  @Option(help: ArgumentHelp("Day on which the work began", valueName: "yyyy-mm-dd")) var date: String?
  @Flag(inversion: .prefixedNo, help: "Deduct half an hour for lunch") var lunch: Bool?
  @Option(help: ArgumentHelp("Expected version; any other is refused", valueName: "n"))
  var ifVersion: Int64?
  @OptionGroup var others: FieldPairs

  func run() async throws {
    var fields: JSONObject = [:]
    for (column, value) in [("start_time", from), ("end_time", to), ("work_date", date)] {
      if let value { fields[column] = .string(value) }
    }
    if let lunch { fields["has_lunch"] = .bool(lunch) }
    fields = try others.object(with: fields)
    guard !fields.isEmpty else {
      throw DomainError(
        .missingFields,
        "no field is given",
        hint: "add --from, --to, --date, --lunch or --set column=value"
      )
    }
    try await RecordActions(options: options, type: "maintenance.time_entry")
      .update(change, hours, fields, version: ifVersion)
  }
}
