internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

/// Adds a plan, whose meter is identified by machine and name.
struct PlanAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a plan by days, by meter units, or both",
    scope: .company,
    discussion: """
      A worker creates an entry when the plan is due. Completing the entry sets the next due date.

      Examples:
        fettle plan add "Oil change" --machine RM-001 --category Engine \\
          --every-days 90 --starts 2027-01-15 --estimate 1.5 -c acme
        fettle plan add "Grease" --machine RM-001 --category Engine \\
          --meter Hours --every-units 250 -c acme
      """
  )
  @OptionGroup var options: RecordOptions
  @OptionGroup var change: ChangeOptions
  @Argument(help: "Title of the plan") var title: String
  @Option(
    help: "Code of the machine",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
  ) var machine: String
  @Option(
    help: "Category of the entries",
    completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.category", words) }
  ) var category: String
  @Option(help: ArgumentHelp("Interval in days", valueName: "n")) var everyDays: Int?
  @Option(help: ArgumentHelp("First due date (default: an interval from today)", valueName: "date"))
  var starts: String?
  @Option(help: "Name or id of the machine's meter") var meter: String?
  @Option(help: ArgumentHelp("Interval in units of the meter", valueName: "n")) var everyUnits: String?
  @Option(help: "Estimated hours per entry (default: 1)") var estimate: String?
  @Option(help: "Start of the next interval: completion or fixed (default: completion)") var anchor: String?
  @Option(help: ArgumentHelp("Days before the due date to create the entry (default: 7)", valueName: "n"))
  var leadDays: Int?
  @OptionGroup var others: FieldPairs

  func validate() throws {
    guard everyDays != nil || everyUnits != nil else {
      throw ValidationError("a plan needs --every-days, or --meter and --every-units")
    }
    guard starts == nil || everyDays != nil else { throw ValidationError("--starts requires --every-days") }
    guard (meter == nil) == (everyUnits == nil) else {
      throw ValidationError("--meter and --every-units require each other")
    }
  }

  func run() async throws {
    var fields: JSONObject = [
      "machine_id": .string(machine), "category_id": .string(category), "title": .string(title),
    ]
    let given: [(String, String?)] = [
      ("every_days", everyDays.map(String.init)), ("every_units", everyUnits), ("starts_on", starts),
      ("estimated_hours", estimate),
      ("anchor", anchor), ("lead_days", leadDays.map(String.init)),
    ]
    for (column, value) in given { if let value { fields[column] = .string(value) } }
    let actions = RecordActions(options: options, type: "maintenance.pm_plan")
    if let meter {
      fields["meter_id"] = .string(try await MeterName(options: options).id(of: meter, on: machine))
    }
    try await actions.create(change, try others.object(with: fields))
  }
}
