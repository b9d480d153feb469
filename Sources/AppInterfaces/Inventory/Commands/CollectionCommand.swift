internal import Apps
internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

struct CollectionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collection",
    abstract: "Manage collections: saved filters of items",
    discussion: """
      Built-in collections: expiring, expired, high-value, no-receipt, favourites, and one for each category and \
      location. `fettle collection save` adds others.

      Example: fettle collection show expiring --company home
      """,
    subcommands: [List.self, Show.self, Save.self],
    defaultSubcommand: List.self
  )

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List collections with their number of items",
      scope: .company,
      discussion: "Example: fettle collection list --company home"
    )
    @OptionGroup var options: RecordOptions

    func run() async throws {
      let found = try await options.withInventory { try await Collections($0, $1).list($2) }
      try options.output.print(
        Table(
          columns: [Column("name"), Column("kind"), Column("items", kind: .number), Column("filter")],
          rows: found.map {
            [.string($0.name), .string($0.kind.rawValue), .integer($0.count), Cell(.object($0.filter))]
          }
        )
      )
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the items of a collection",
      scope: .company,
      discussion: "Example: fettle collection show category:tools --company home"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name of the collection") var name: String
    @Option(help: "Maximum number of rows") var limit = 100

    func run() async throws {
      var query = try await options.withInventory { services, records, acting in
        try await Collections(services, records).query(acting, name)
      }
      query.limit = limit
      try await RecordActions(options: options, type: "inventory.item").list(
        query,
        columns: ItemCommand.columns
      )
    }
  }

  struct Save: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Save a filter as a collection",
      scope: .company,
      discussion: "Example: fettle collection save Garage --filter location=Garage -c home --as ana"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "Name of the collection") var name: String
    @Option(help: ArgumentHelp("Column and its required value", valueName: "column=value"))
    var filter: [String]
    @OptionGroup var key: AdministrationOptions

    func run() async throws {
      try await options.withInventory { services, records, acting in
        let answer = try await key.once(services, acting, ["collection", name] + filter) {
          try await Collections(services, records).save(acting, name: name, pairs: filter)
        }
        try options.output.report("saved \(name)", [(Column("id"), Cell(answer.id))])
      }
    }
  }
}
