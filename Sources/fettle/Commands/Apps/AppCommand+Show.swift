internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Engine
internal import Store
internal import Terminal

extension AppCommand {
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the types of an app, or the columns of a type",
      scope: .installation,
      discussion: """
        Examples:
          fettle app show maintenance
          fettle app show maintenance.entry
        """
    )
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions
    @Argument(help: "Name of an app or type", completion: .custom { _, _, _ in await LiveCompletion.apps() })
    var name: String

    func run() async throws {
      let name = name
      let (types, manifests) = try await connection.withServices { services in
        (try await Records.open(services).catalogue, try await InstalledApps(services).manifests())
      }
      if name.contains(".") { return try output.print(Self.columns(of: types.type(name))) }
      guard let manifest = manifests.first(where: { $0.app == name }) else {
        let closest = Suggestion.closest(to: name, among: manifests.map(\.app))
        throw DomainError(
          .notFound,
          "the app \(Quoted(name)) is not installed",
          hint: closest.map { "did you mean \($0)?" } ?? "run `fettle app list` for the installed apps"
        )
      }
      try output.print(
        Self.types(types.types.filter { manifest.type($0.name) != nil }),
        forPeople: ["type", "label", "scope", "workflow", "states", "sync"]
      )
    }

    private static func types(_ types: [RecordType]) -> Table {
      Table(
        columns: [
          Column("type"), Column("label"), Column("scope"), Column("table"), Column("view"),
          Column("workflow"), Column("states"), Column("transitions"), Column("sync"), Column("key"),
          Column("search"), Column("sort"), Column("attachments"), Column("hooks", kind: .number),
          Column("entitlement"), Column("grants"),
        ],
        rows: types.map { type in
          let definition = type.definition
          return [
            .string(type.name), .string(definition.label), .string(definition.scope.rawValue),
            .string(definition.table), .string(definition.view), .optional(definition.workflow),
            .list(type.workflow?.states.map { .string($0.name) } ?? []),
            .list(type.workflow?.transitions.map { .string($0.name) } ?? []),
            .string(definition.sync.rawValue), .list(definition.key.map { .string($0) }),
            .list(definition.search.map { .string($0) }), .list(definition.sort.map { .string($0) }),
            .list(definition.attachments.map { .string($0.kind) }), .integer(definition.hooks.count),
            .optional(definition.entitlement), grants(of: type),
          ]
        }
      )
    }

    private static func grants(of type: RecordType) -> Cell {
      .nested(
        type.definition.grants.map { grant in
          let verbs = grant.rules.flatMap {
            $0.permissions(of: type.definition, workflow: type.workflow).map(\.verb)
          }
          return Cell.Field(grant.role.rawValue, .list(verbs.map { .string($0) }))
        }
      )
    }

    private static func columns(of type: RecordType) -> Table {
      let definition = type.definition
      let table = Set(type.columns.map(\.name))
      let computed = type.viewColumns.filter { !table.contains($0.name) }
      return Table(
        columns: [
          Column("column"), Column("type"), Column("written"), Column("required"), Column("points_to"),
          Column("meaning"),
        ],
        rows: (type.columns + computed).map { column in
          let reference = definition.references.first { $0.column == column.name }
          return [
            .string(column.name), .string(column.type),
            .string(
              table.contains(column.name) ? group(of: column.name, definition) : "computed by the view"
            ),
            .bool(!column.isNullable && !column.hasDefault && definition.creatable.contains(column.name)),
            .optional(reference?.target), .optional(column.comment),
          ]
        }
      )
    }

    private static func group(of column: String, _ type: RecordTypeDefinition) -> String {
      if type.editable.contains(column) { return "at creation and later" }
      if type.fixed.contains(column) { return "at creation only" }
      return RecordTypeDefinition.baseColumns.contains(column)
        ? "by the engine" : "by the engine or a transition"
    }
  }
}
