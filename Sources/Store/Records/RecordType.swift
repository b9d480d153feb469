package import Domain
package import FoundationEssentials
package import Postgres

/// An installed record type: its definition in the manifest, and its columns in PostgreSQL's catalogue.
///
/// A class, because all units of work pass it on, and a copy would retain each of its fields.
package final class RecordType: Sendable {
  /// The definition in the manifest: names, grants, edit rules, references.
  package let definition: RecordTypeDefinition
  /// The workflow definition in use: the first installed one, unless a company has chosen another; nil for a
  /// type without a workflow.
  package let workflow: WorkflowDefinition?
  /// The columns of its table.
  package let columns: [Column]
  /// The columns of its view, in order.
  package let viewColumns: [Column]
  /// The columns of the view that programs get, the number first.
  package let shownColumns: [Column]
  /// The list of ``shownColumns`` of a row `v`, as ``list(_:)`` returns it.
  let shownList: SQL
  /// The list of the columns that devices get.
  let pulledList: SQL
  /// The table, quoted for SQL.
  package let table: SQL
  /// The view, quoted for SQL.
  package let view: SQL
  /// ` and v.deleted_at is null` if the type is read from its table, which has tombstones; a view hides them.
  package let alive: SQL
  /// The paths of all guards of the definition, transition by transition.
  package let guardPaths: [String]
  /// The columns of its table or view that may hold arrays or objects.
  let documentColumns: [String]
  /// The app's texts for refused guards.
  package let messages: [GuardMessage]
  /// The title of its app; empty before the app is installed.
  package let appTitle: String
  /// What people read of its app, by language and key.
  package let words: ManifestWords
  /// The rules for creating, editing and deleting records.
  package let rules: RecordRules
  /// The names of the columns that need a value from the caller or the type's rule.
  package let required: [String]
  /// False if a new record takes a value that no client has, such as the hash of a secret: then only a use case of its
  /// own creates it.
  package let isCreatedAsRecord: Bool
  /// The names of the columns of its table and of its view.
  package let names: Set<String>
  /// The positions of the columns by name.
  private let places: [String: Int]

  package init(
    definition: RecordTypeDefinition,
    workflow: WorkflowDefinition?,
    columns: [Column],
    viewColumns: [Column],
    messages: [GuardMessage] = [],
    appTitle: String = "",
    words: ManifestWords = ManifestWords()
  ) {
    self.definition = definition
    self.workflow = workflow
    self.columns = columns
    self.viewColumns = viewColumns
    self.messages = messages
    self.appTitle = appTitle
    self.words = words
    // Part of all statements, so built once.
    table = Self.relation(definition.table)
    view = Self.relation(definition.view)
    alive = viewColumns.contains { $0.name == "deleted_at" } ? " and v.deleted_at is null" : ""
    documentColumns = (columns + viewColumns).filter(\.kind.isDocument).map(\.name)
    rules = RecordRules(definition, workflow: workflow)
    names = Set((columns + viewColumns).map(\.name))
    places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let stamped = Set(RecordTypeDefinition.baseColumns + ["status", "status_category"])
    required = columns.filter { column in
      !column.isNullable && !column.hasDefault && !column.isGenerated && !stamped.contains(column.name)
    }.map(\.name)
    isCreatedAsRecord = !columns.contains { [required] column in
      column.kind == .other && required.contains(column.name) && definition.engine.contains(column.name)
    }
    shownColumns = Self.shown(viewColumns, hasNumber: definition.number != nil)
    shownList = Self.list(shownColumns)
    pulledList = Self.list(shownColumns.filter { !definition.clock.contains($0.name) })
    guardPaths = workflow?.transitions.flatMap { $0.guards.map(\.path) } ?? []
  }

  /// Returns the owner of a record in the feed: its creator for a private type, nil for a type of the company.
  ///
  /// - Throws: `internal` for a private record without a creator, which would be fed to the whole company.
  package func feedOwner(_ creator: UUID?) throws(DomainError) -> UUID? {
    guard definition.scope == .owner else { return nil }
    guard let creator else { throw DomainError(.internal, "a private record of \(name) has no owner") }
    return creator
  }

  /// Returns the same type with another version of its workflow.
  package func following(_ workflow: WorkflowDefinition) -> RecordType {
    RecordType(
      definition: definition,
      workflow: workflow,
      columns: columns,
      viewColumns: viewColumns,
      messages: messages,
      appTitle: appTitle,
      words: words
    )
  }

  /// The app that the type belongs to.
  package var app: String { String(name.prefix { $0 != "." }) }

  /// The name, as `app.type`.
  package var name: String { definition.name }

  /// Returns the column with a name; nil if the table has none.
  package func column(_ name: String) -> Column? { places[name].map { columns[$0] } }

  private static func relation(_ name: String) -> SQL {
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count == 2 else { return "\(identifier: name)" }
    return "\(identifier: parts[0], parts[1])"
  }
}
