internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct MacroGoalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "goal",
    abstract: "Manage goals by day type",
    discussion: "Example: fettle macros goal list --company acme --as ana",
    subcommands: [List.self, Set.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List goals, newest first",
      scope: .company,
      discussion: "Example: fettle macros goal list --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      var query = RecordQuery()
      query.sort = "-effective_from"
      try await RecordActions(options: options, type: "macros.goal")
        .list(query, columns: ["effective_from", "day_type", "protein_g", "carbs_g", "fat_g", "kcal"])
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the goal of a day type from a date on",
      scope: .company,
      discussion: """
        Example:
          fettle macros goal set --protein 120 --carbs 200 --fat 60 \\
            -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @OptionGroup var amounts: MacroAmountOptions
    @Option(help: ArgumentHelp("Day type: default, high_carb, low_carb or rest", valueName: "kind"))
    var dayType = "default"
    @Option(help: ArgumentHelp("First day of the goal (default: today)", valueName: "yyyy-mm-dd"))
    var from: String?

    func run() async throws {
      let kind = try DayType(parsing: dayType)
      let (goal, first) = (try MacroAmounts(amounts.fields), try from.map { try LocalDate(parsing: $0) })
      try await key.change(options.company, options.output) { services, acting in
        let macros = Macros(services, try await Records.open(services))
        let answer = try await macros.setGoal(acting, goal, dayType: kind, from: first)
        return ChangeReport(
          "the goal for \(kind.rawValue) is set (version \(answer.version))",
          [(Column("id"), Cell(answer.id)), (Column("version"), .integer(answer.version))]
        )
      }
    }
  }
}

struct MacroCycleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cycle",
    abstract: "Manage the day types of weekdays (entitlement pro)",
    discussion: "Example: fettle macros cycle set monday high_carb -c acme --as ana",
    subcommands: [List.self, Set.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List weekdays with a day type",
      scope: .company,
      discussion: "Example: fettle macros cycle list --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      var query = RecordQuery()
      query.sort = "weekday"
      try await RecordActions(options: options, type: "macros.carb_cycle")
        .list(query, columns: ["weekday", "day_type"])
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the day type of a weekday",
      scope: .company,
      discussion: "Example: fettle macros cycle set monday high_carb -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Argument(help: "Weekday, such as monday or mon") var weekday: String
    @Argument(help: "Day type: default, high_carb, low_carb or rest") var dayType: String

    func run() async throws {
      let (day, kind) = (try Weekday(parsing: weekday), try DayType(parsing: dayType))
      try await key.change(options.company, options.output) { services, acting in
        let macros = Macros(services, try await Records.open(services))
        let answer = try await macros.setCycle(acting, day, kind)
        return ChangeReport(
          "\(day.name) is \(kind.rawValue)",
          [(Column("id"), Cell(answer.id)), (Column("version"), .integer(answer.version))]
        )
      }
    }
  }
}
