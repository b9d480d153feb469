internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine

struct CategoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category",
    abstract: "Manage categories of work",
    discussion: "Example: fettle category list --company acme",
    subcommands: [List.self, Add.self, Rename.self, Delete.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List categories",
      discussion: "Example: fettle category list --company acme --output json"
    )
    @OptionGroup var options: RecordOptions
    @Option(help: "Maximum number of rows") var limit = 500

    func run() async throws {
      var query = RecordQuery()
      query.sort = "name"
      query.limit = limit
      try await RecordActions(options: options, type: "maintenance.category")
        .list(query, columns: ["name", "is_base", "machine_id", "id"])
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a category for one machine or for all",
      discussion: "Example: fettle category add \"Bead gun\" --machine RM-001 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "Its name") var name: String
    @Option(help: "The only machine it is for") var machine: String?

    func run() async throws {
      var fields: JSONObject = ["name": .string(name)]
      if let machine { fields["machine_id"] = .string(machine) }
      try await RecordActions(options: options, type: "maintenance.category").create(change, fields)
    }
  }
}
