internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Manage records of any type",
    discussion: "Example: fettle record list maintenance.meter --company acme",
    subcommands: [
      Types.self, List.self, Show.self, Create.self, Update.self, Delete.self, Restore.self, Repair.self,
      Do.self,
      History.self, Comment.self, Comments.self, Watch.self, Unwatch.self, Import.self, Export.self,
    ],
    defaultSubcommand: Types.self
  )

  struct Types: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List record types",
      scope: .installation,
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

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a record and its allowed actions",
      scope: .company,
      discussion: "Example: fettle record show maintenance.machine RM-001 -c acme --output json"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @Flag(help: "Show a deleted record; requires the permission to delete") var deleted = false

    func run() async throws {
      try await RecordActions(options: options, type: subject.type).show(subject.record, deleted: deleted)
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a record",
      scope: .company,
      discussion: """
        Example:
          fettle record create maintenance.meter --set machine=RM-001 \\
            --set name=Oil --set unit=h -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var kind: TypeArgument
    @OptionGroup var fields: FieldPairs
    @Option(help: "Id of the record, a UUID that does not exist yet (default: generated)") var id: String?

    func run() async throws {
      let chosen = try id.map { text in
        guard let id = UUID(text: text) else {
          throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
        }
        return id
      }
      try await RecordActions(options: options, type: kind.type)
        .create(change, try fields.object(), id: chosen)
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change fields of a record",
      scope: .company,
      discussion: """
        Example:
          fettle record update maintenance.machine RM-001 --set name=Marker -c acme
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var subject: RecordArguments
    @OptionGroup var changes: FieldChanges

    func run() async throws {
      try await RecordActions(options: options, type: subject.type)
        .update(change, subject.record, try changes.object(), version: changes.ifVersion)
    }
  }

  struct Do: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Apply a transition to records",
      scope: .company,
      discussion: """
        With --where, applies the transition to all matching records in one transaction
        and prints a result for each. A refused record does not stop the others.

        Examples:
          fettle record do maintenance.pm_plan pause 01a1… --company acme
          fettle record do maintenance.entry start --where status=pending \\
            -c acme --dry-run
        """
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var kind: TypeArgument
    @Argument(
      help: "Transition, such as start",
      completion: .custom { words, _, _ in await LiveCompletion.transitions(words) }
    )
    var transition: String
    @Argument(
      help: "Number, key or id of the record, or the beginning of its id",
      completion: .custom { words, _, _ in await LiveCompletion.records(words) }
    )
    var record: String?
    @OptionGroup var request: TransitionOptions

    func validate() throws { try options.requireOne(request.record(record, options)) }

    func run() async throws {
      let actions = RecordActions(options: options, type: kind.type)
      let named = self.request.record(record, options)
      let request = try request.request(transition, named == nil ? record.map { [$0] } ?? [] : [])
      guard let record = named else { return try await actions.transitionAll(change, request) }
      try await actions.transition(change, record, request)
    }
  }

  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the history of a record",
      scope: .company,
      discussion: "Example: fettle record history maintenance.entry WO-1003 --company acme"
    )
    @OptionGroup var options: RecordOptions
    @OptionGroup var subject: RecordArguments
    @Flag(help: "Show the history of a deleted record; requires the permission to delete") var deleted = false

    func run() async throws {
      try await RecordActions(options: options, type: subject.type).history(subject.record, deleted: deleted)
    }
  }
}
