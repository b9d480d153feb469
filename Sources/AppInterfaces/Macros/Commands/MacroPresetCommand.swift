internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct MacroPresetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset",
    abstract: "Manage presets of meals (entitlement pro)",
    discussion: "Example: fettle macros preset list --company acme --as ana",
    subcommands: [List.self, Add.self, Update.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List presets",
      scope: .company,
      discussion: "Example: fettle macros preset list --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      var query = RecordQuery()
      query.sort = "position"
      try await RecordActions(options: options, type: "macros.preset")
        .list(query, columns: ["name", "protein_g", "carbs_g", "fat_g", "id"])
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a preset",
      scope: .company,
      discussion: """
        Example:
          fettle macros preset add Porridge --protein 12 --carbs 60 --fat 8 \\
            -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var amounts: MacroAmountOptions
    @Argument(help: "Name of the preset") var name: String
    @OptionGroup var others: FieldPairs

    func run() async throws {
      var fields = amounts.fields
      fields["name"] = .string(name)
      try await RecordActions(options: options, type: "macros.preset")
        .create(change, try others.object(with: fields))
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a preset",
      scope: .company,
      discussion: "Example: fettle macros preset update Porridge --fat 9 -c acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var amounts: MacroAmountOptions
    @Argument(help: "Name or id of the preset") var preset: String
    @Option(help: "New name") var name: String?
    @OptionGroup var others: FieldPairs

    func run() async throws {
      var fields = amounts.fields
      if let name { fields["name"] = .string(name) }
      try await RecordActions(options: options, type: "macros.preset").update(
        change,
        preset,
        try others.object(with: fields),
        version: nil
      )
    }
  }
}

struct MacroProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Show or change a member's settings",
    discussion: "Example: fettle macros profile set --timezone Asia/Tokyo -c acme --as ana",
    subcommands: [Show.self, Set.self],
    defaultSubcommand: Show.self
  )

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the settings",
      scope: .company,
      discussion: "Example: fettle macros profile show --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      try await options.withMacros { macros, acting in
        let profile = try await macros.profile(acting)
        let columns = ["display_name", "timezone", "day_starts_at", "id", "version"]
        try options.output.printRecord(columns.map { (Column($0), Cell(profile[$0] ?? .null)) })
      }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the settings",
      scope: .company,
      discussion: """
        Example:
          fettle macros profile set --timezone Asia/Tokyo --day-starts-at 04:00 \\
            -c acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var key: AdministrationOptions
    @Option(help: "Name of the member") var name: String?
    @Option(help: "Time zone that decides the day of a meal") var timezone: String?
    @Option(
      help: ArgumentHelp("Start of the day; earlier meals count for the day before", valueName: "HH:MM")
    )
    var dayStartsAt: String?

    func run() async throws {
      var fields: JSONObject = [:]
      for (column, value) in [("display_name", name), ("timezone", timezone), ("day_starts_at", dayStartsAt)]
      {
        if let value { fields[column] = .string(value) }
      }
      guard !fields.isEmpty else { throw ValidationError("add --name, --timezone or --day-starts-at") }
      try await key.change(options.company, options.output) { services, acting in
        let macros = Macros(services, try await Records.open(services))
        let answer = try await macros.setProfile(acting, fields)
        return ChangeReport(
          "changed the profile (version \(answer.version))",
          [(Column("id"), Cell(answer.id)), (Column("version"), .integer(answer.version))]
        )
      }
    }
  }
}
