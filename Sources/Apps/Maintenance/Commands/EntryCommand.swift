internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct EntryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entry",
    abstract: "Manage maintenance entries",
    discussion: """
      Examples:
        fettle entry add --machine RM-001 --category Hydraulics "Hose leaks" -c acme
        fettle entry do start WO-1003 --company acme --as ana
      """,
    subcommands: [
      List.self, Show.self, Add.self, Update.self, Delete.self, Restore.self, Do.self, History.self,
      EntrySplitCommand.self, EntryImport.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List entries, newest first",
      discussion: "Example: fettle entry list --company acme --status pending --machine RM-001"
    )
    @OptionGroup var options: RecordOptions
    @Option(
      help: "Only entries in this status",
      completion: .custom { _, _, _ in await LiveCompletion.states(of: "maintenance.entry") }
    ) var status: String?
    @Option(
      help: "Only entries of this machine, by its code",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String?
    @Option(
      help: "Only entries of this category, by its name",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.category", words) }
    ) var category: String?
    @Option(help: "Only entries whose description contains this") var search: String?
    @Option(help: "Maximum number of rows") var limit = 50

    func run() async throws {
      var query = RecordQuery()
      query.search = search
      // Not by when they were made here: an import makes thirteen years of them at once.
      query.sort = "-reported_on"
      query.limit = limit
      for (column, value) in [("status", status), ("machine_id", machine), ("category_id", category)] {
        if let value { query.filters.append((column, value)) }
      }
      try await RecordActions(options: options, type: "maintenance.entry").list(
        query,
        columns: [
          "number", "machine_code", "category_name", "status", "reported_on", "hours_logged",
          "description", "external_ref", "id",
        ]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show an entry and its allowed actions",
      discussion: "Example: fettle entry show WO-1003 --company acme --as ana"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Its number, its reference, its id, or the beginning of its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.entry").show(entry)
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report work to be done",
      discussion: """
        Example:
          fettle entry add "Hose leaks" --machine RM-001 --category Hydraulics \\
            --set estimated_hours=2 --company acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Description of the work") var text: String
    @Option(
      help: "The machine's code",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String
    @Option(
      help: "The category's name",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.category", words) }
    ) var category: String
    @Option(name: .customLong("set"), help: ArgumentHelp("Another field", valueName: "column=value"))
    var fields: [String] = []

    func run() async throws {
      var object = try FieldArguments.object(fields)
      object["machine_id"] = .string(machine)
      object["category_id"] = .string(category)
      object["description"] = .string(text)
      try await RecordActions(options: options, type: "maintenance.entry").create(change, object)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of an entry",
      discussion: "Example: fettle entry update WO-1003 --set priority=1 --if-version 3 -c acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(
      help: "The entry",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String
    @Option(
      name: .customLong("set"),
      help: ArgumentHelp("A field and its value; empty clears it", valueName: "column=value")
    )
    var fields: [String]
    @Option(help: ArgumentHelp("Expected version; another one is refused", valueName: "n"))
    var ifVersion: Int64?

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.entry")
        .update(change, entry, try FieldArguments.object(fields), version: ifVersion)
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take entries through a transition",
      discussion: """
        Examples:
          fettle entry do start WO-1003 --company acme --as ana
          fettle entry do reopen WO-1003 --comment "Leaks again" -c acme --as eva
          fettle entry do start --where status=pending --company acme --as ana
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var request: TransitionOptions
    @Argument(help: "The transition: start, pause, complete or reopen") var transition: String
    @Argument(
      help: "The entry's number; without one, all that --where finds",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String?

    func validate() throws { try options.requireOne(entry) }

    func run() async throws {
      let actions = RecordActions(options: options, type: "maintenance.entry")
      let request = try request.request(transition)
      guard let entry else { return try await actions.transitionAll(change, request) }
      try await actions.transition(change, entry, request)
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the history of an entry",
      discussion: "Example: fettle entry history WO-1003 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "The entry",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.entry", words) }
    ) var entry: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.entry").history(entry)
    }
  }
}
