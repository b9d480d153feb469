internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Manage preventive maintenance plans",
    discussion: """
      A worker makes the entry of a plan when it is due; completing the entry says when it is due next.

      Examples:
        fettle plan add "Oil change" --machine RM-001 --category Engine \\
          --every-days 90 -c acme
        fettle plan list --company acme --due
      """,
    subcommands: [List.self, Show.self, Add.self, Update.self, Do.self, History.self],
    defaultSubcommand: List.self
  )

  static let type = "maintenance.pm_plan"

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List plans with their due dates",
      discussion: "Example: fettle plan list --company acme --machine RM-001"
    )
    @OptionGroup var options: RecordOptions
    @Flag(help: "Only plans that are due for a new entry") var due = false
    @Option(
      help: "Only plans of this machine, by its code",
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
      try await RecordActions(options: options, type: PlanCommand.type).list(
        query,
        columns: [
          "id", "machine_code", "title", "status", "next_due_on", "next_due_units", "total_units", "is_due",
          "has_open_entry",
        ]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a plan and its allowed actions",
      discussion: "Example: fettle plan show 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Its id, or the beginning of it") var plan: String

    func run() async throws {
      try await RecordActions(options: options, type: PlanCommand.type).show(plan)
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a plan by days, by meter units, or both",
      discussion: """
        Examples:
          fettle plan add "Oil change" --machine RM-001 --category Engine \\
            --every-days 90 --estimate 1.5 -c acme
          fettle plan add "Grease" --machine RM-001 --category Engine \\
            --meter Hours --every-units 250 -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Title of the plan") var title: String
    @Option(
      help: "The machine's code",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Option(
      help: "Name of the category of its entries",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.category", words) }
    ) var category: String
    @Option(help: ArgumentHelp("The interval in days", valueName: "n")) var everyDays: Int?
    @Option(help: "The name of the machine's meter that is watched") var meter: String?
    @Option(help: ArgumentHelp("The interval in units of the meter", valueName: "n")) var everyUnits: String?
    @Option(help: "Estimated hours") var estimate: String?
    @Option(help: "Start of the interval: completion or fixed") var anchor: String?
    @Option(help: ArgumentHelp("Days before it is due at which the entry is made", valueName: "n"))
    var leadDays: Int?

    func validate() throws {
      guard everyDays != nil || everyUnits != nil else {
        throw ValidationError("a plan needs --every-days, or --meter and --every-units")
      }
      guard (meter == nil) == (everyUnits == nil) else {
        throw ValidationError("--meter and --every-units require each other")
      }
    }

    func run() async throws {
      var fields: JSONObject = [
        "machine_id": .string(machine), "category_id": .string(category), "title": .string(title),
      ]
      let given: [(String, String?)] = [
        ("every_days", everyDays.map(String.init)), ("every_units", everyUnits),
        ("estimated_hours", estimate),
        ("anchor", anchor), ("lead_days", leadDays.map(String.init)),
      ]
      for (column, value) in given { if let value { fields[column] = .string(value) } }
      let actions = RecordActions(options: options, type: PlanCommand.type)
      if let meter {
        fields["meter_id"] = .string(try await MeterName(options: options).id(of: meter, on: machine))
      }
      try await actions.create(change, fields)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of a plan",
      discussion: "Example: fettle plan update 01a1… --set every_days=60 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The plan") var plan: String
    @Option(
      name: .customLong("set"),
      help: ArgumentHelp("A field and its value; empty clears it", valueName: "column=value")
    )
    var fields: [String]
    @Option(help: ArgumentHelp("Expected version; another one is refused", valueName: "n"))
    var ifVersion: Int64?

    func run() async throws {
      try await RecordActions(options: options, type: PlanCommand.type)
        .update(change, plan, try FieldArguments.object(fields), version: ifVersion)
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pause, resume or end a plan",
      discussion: "Example: fettle plan do pause 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var request: TransitionOptions
    @Argument(help: "The transition: pause, resume or end") var transition: String
    @Argument(help: "The plan") var plan: String

    func run() async throws {
      try await RecordActions(options: options, type: PlanCommand.type)
        .transition(change, plan, try request.request(transition))
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the history of a plan",
      discussion: "Example: fettle plan history 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "The plan") var plan: String

    func run() async throws {
      try await RecordActions(options: options, type: PlanCommand.type).history(plan)
    }
  }
}
