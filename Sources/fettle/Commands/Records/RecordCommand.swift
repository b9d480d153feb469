internal import ArgumentParser
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records of any type that an app defines.",
    discussion: "Example: fettle record list maintenance.meter --company acme",
    subcommands: [Types.self, List.self, Show.self, Create.self, Update.self, Do.self, History.self],
    defaultSubcommand: Types.self
  )

  struct Types: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the record types.",
      discussion: "Example: fettle record types"
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let types = try await connection.withServices { try await Records.open($0).catalogue.types }
      try output.print(
        Table(
          columns: [Column("type"), Column("label"), Column("table"), Column("workflow"), Column("fields")],
          rows: types.map { type in
            [
              .string(type.name), .string(type.definition.label), .string(type.definition.table),
              .optional(type.definition.workflow), .list(type.definition.creatable.map { .string($0) }),
            ]
          }
        )
      )
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List records of a type.",
      discussion: "Example: fettle record list maintenance.entry --filter status=pending -c acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "The type, such as maintenance.entry.") var type: String
    @Option(help: ArgumentHelp("Only records where a column has a value.", valueName: "column=value"))
    var filter: [String] = []
    @Option(help: "Only records that contain this text.") var search: String?
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Sort in the database; -column for descending.", valueName: "column"))
    var order: String?
    @Option(help: "How many at most.") var limit = 100

    func run() async throws {
      var query = RecordQuery()
      query.filters = try FieldArguments.object(filter).members.map { ($0.key, $0.value.string ?? "") }
      query.search = search
      query.sort = order
      query.limit = limit
      try await RecordActions(options: options, type: type).list(query, columns: [], everything: true)
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a record.",
      discussion: "Example: fettle record show maintenance.machine RM-001 -c acme --output json"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "The type.") var type: String
    @Argument(help: "Its key, its id, or the beginning of its id.") var record: String

    func run() async throws { try await RecordActions(options: options, type: type).show(record) }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a record.",
      discussion: """
        Example:
          fettle record create maintenance.meter machine=RM-001 name=Oil unit=h -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The type.") var type: String
    @Argument(help: ArgumentHelp("The fields.", valueName: "column=value")) var fields: [String]
    @Option(help: "Its id, chosen by you: the same again is refused, not doubled.") var id: String?

    func run() async throws {
      let chosen = try id.map { text in
        guard let id = UUID(uuidString: text) else {
          throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
        }
        return id
      }
      try await RecordActions(options: options, type: type)
        .create(change, try FieldArguments.object(fields), id: chosen)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of a record.",
      discussion: "Example: fettle record update maintenance.machine RM-001 name=Marker -c acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The type.") var type: String
    @Argument(help: "The record.") var record: String
    @Argument(help: ArgumentHelp("The fields; an empty value clears one.", valueName: "column=value"))
    var fields: [String]
    @Option(help: ArgumentHelp("The version you saw; another one is refused.", valueName: "n")) var ifVersion:
      Int64?

    func run() async throws {
      try await RecordActions(options: options, type: type)
        .update(change, record, try FieldArguments.object(fields), version: ifVersion)
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take a record through a transition.",
      discussion: "Example: fettle record do maintenance.pm_plan pause 01a1… --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var request: TransitionOptions
    @Argument(help: "The type.") var type: String
    @Argument(help: "The transition.") var transition: String
    @Argument(help: "The record.") var record: String

    func run() async throws {
      try await RecordActions(options: options, type: type)
        .transition(change, record, try request.request(transition))
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show who did what to a record.",
      discussion: "Example: fettle record history maintenance.entry WO-1003 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @Argument(help: "The type.") var type: String
    @Argument(help: "The record.") var record: String

    func run() async throws { try await RecordActions(options: options, type: type).history(record) }
  }
}
