internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct MachineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine",
    abstract: "Manage machines",
    discussion: "Example: fettle machine list --company acme",
    subcommands: [
      List.self, Show.self, Add.self, Rename.self, Delete.self, Do.self, History.self,
    ],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List machines with their open work and logged hours",
      discussion: "Example: fettle machine list --company acme --sort -hours_logged"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Only machines whose code or name contains this") var search: String?
    @Option(help: "Maximum number of rows") var limit = 100

    func run() async throws {
      var query = RecordQuery()
      query.search = search
      query.sort = "code"
      query.limit = limit
      try await RecordActions(options: options, type: "maintenance.machine").list(
        query,
        columns: [
          "code", "name", "status", "pending_items", "in_progress_items", "open_estimated_hours",
          "hours_logged",
        ]
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a machine and its allowed actions",
      discussion: "Example: fettle machine show RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "Its code, or its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine").show(machine)
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a machine",
      discussion: "Example: fettle machine add RM-005 --name \"Line marker\" --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Code painted on it, unique in the company") var code: String
    @Option(help: "Its name (default: the code)") var name: String?

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine")
        .create(change, ["code": .string(code), "name": .string(name ?? code)])
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a machine through a transition",
      discussion: "Example: fettle machine do take_out RM-001 --comment \"Engine is out\" -c acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var request: TransitionOptions
    @Argument(help: "The transition, such as take_out, return or retire") var transition: String
    @Argument(
      help: "The machine's code, or its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine")
        .transition(change, machine, try request.request(transition))
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the history of a machine",
      discussion: "Example: fettle machine history RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(
      help: "The machine's code, or its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(of: "maintenance.machine", words) }
    ) var machine: String

    func run() async throws {
      try await RecordActions(options: options, type: "maintenance.machine").history(machine)
    }
  }
}
