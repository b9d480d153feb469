internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Postgres
internal import Store
internal import Terminal

struct MacrosCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "macros",
    abstract: "Log meals against goals, private to a member",
    discussion: """
      Examples:
        fettle macros log --protein 30 --carbs 45 --fat 15 -c acme --as ana
        fettle macros day --company acme --as ana
      """,
    subcommands: [
      Day.self, Range.self, Log.self, MacroGoalCommand.self, MacroCycleCommand.self, MacroPresetCommand.self,
      MacroProfileCommand.self,
    ],
    defaultSubcommand: Day.self
  )

  struct Day: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a day against its goal",
      scope: .company,
      discussion: "Example: fettle macros day 2026-03-02 --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Day (default: today in the member's time zone)") var day: String?

    func run() async throws {
      let day = try day.map { try LocalDate(parsing: $0) }
      let found = try await options.withMacros { macros, acting in
        let date = if let day { day } else { try await macros.today(acting) }
        return try await macros.day(acting, date)
      }
      let figures = [
        ("protein_g", found.protein), ("carbs_g", found.carbs), ("fat_g", found.fat), ("kcal", found.kcal),
      ]
      guard options.output.output == .table, options.output.columns == nil else {
        return try options.output.printRecord(
          [
            (Column("day"), .string(found.day.description)), (Column("entries"), .integer(found.entries)),
            (Column("day_type"), .optional(found.dayType)),
          ]
            + figures.flatMap { name, figure in
              [
                (Column(name), .number(figure.amount.description)),
                (Column("goal_\(name)"), Cell(figure.goal)),
                (Column("\(name)_percent"), Cell(figure.percent)),
              ]
            }
        )
      }
      Message.tell(
        "\(found.day): \(found.entries) entries" + (found.dayType.map { ", goal \($0)" } ?? ", no goal")
      )
      try options.output.print(
        Table(
          columns: [
            Column("what"), Column("amount", kind: .number), Column("goal", kind: .number),
            Column("percent", kind: .number),
          ],
          rows: figures.map {
            [.string($0), .number($1.amount.description), Cell($1.goal), Cell($1.percent)]
          }
        )
      )
    }
  }

  struct Range: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show totals and averages by day, week or month",
      scope: .company,
      discussion: """
        Examples:
          fettle macros range --company acme --as ana
          fettle macros range --from 2026-01-01 --by month -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @Option(help: ArgumentHelp("First day (default: six days before the last day)", valueName: "yyyy-mm-dd"))
    var from: String?
    @Option(help: ArgumentHelp("Last day (default: today)", valueName: "yyyy-mm-dd")) var to: String?
    @Option(help: "Group by week or month (default: by day)") var by: Macros.Period?

    func run() async throws {
      let (first, last) = (
        try from.map { try LocalDate(parsing: $0) }, try to.map { try LocalDate(parsing: $0) }
      )
      try await options.withMacros { macros, acting in
        let last = if let last { last } else { try await macros.today(acting) }
        let first = first ?? last.adding(days: -6)
        if let by {
          return try options.output.print(
            MacroTables.periods(try await macros.periods(acting, by, from: first, to: last))
          )
        }
        try options.output.print(MacroTables.days(try await macros.range(acting, from: first, to: last)))
        let summary = try await macros.summary(acting, from: first, to: last)
        Message.tell(MacroTables.averages(summary))
      }
    }
  }

  struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Log a meal",
      scope: .company,
      discussion: """
        Amounts are in grams, rounded to 0.1. Given values override those of the preset.

        Examples:
          fettle macros log --protein 30 --carbs 45.5 -c acme --as ana
          fettle macros log --preset Porridge -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var amounts: MacroAmountOptions
    @Option(help: "Name or id of a preset") var preset: String?
    @Option(help: ArgumentHelp("Time of the meal (default: now)", valueName: "instant")) var at: String?
    @Option(
      help: ArgumentHelp("Day that the meal counts for (default: day of its time)", valueName: "yyyy-mm-dd")
    )
    var day: String?
    @Option(help: "Note") var note: String?
    @Option(help: ArgumentHelp("Idempotency key: a repetition returns the first result", valueName: "key"))
    var idempotencyKey: String?
    @OptionGroup var others: FieldPairs

    func run() async throws {
      var fields = amounts.fields
      for (column, value) in [("eaten_at", at), ("local_date", day), ("note", note)] {
        if let value { fields[column] = .string(value) }
      }
      fields = try others.object(with: fields)
      try await options.withMacros { [fields] macros, acting in
        let answer = try await macros.log(acting, fields, preset: preset, key: idempotencyKey)
        try options.output.report(
          "logged \(answer.id.text)",
          [(Column("id"), Cell(answer.id)), (Column("version"), .integer(answer.version))]
        )
      }
    }
  }
}

extension Macros.Period: ExpressibleByArgument {}
