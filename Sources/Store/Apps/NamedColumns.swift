internal import Domain

/// The columns of tables and views that the types of a manifest name, as arrays for queries on the catalogue.
struct NamedColumns {
  /// Columns of the tables of types: arrays with one element for each column.
  struct List {
    private(set) var tables: [String] = []
    private(set) var views: [String] = []
    private(set) var columns: [String] = []

    fileprivate mutating func add(_ type: RecordTypeDefinition, _ names: some Sequence<String>) {
      for name in names {
        tables.append(type.table)
        views.append(type.view)
        columns.append(name)
      }
    }
  }

  /// The columns that a type's view must show: the base columns, the status columns, and those that members
  /// or transitions write.
  private(set) var shown = List()
  /// The status columns of types with a workflow.
  private(set) var status = List()
  /// The columns that get a value when a record is created.
  private(set) var created = List()
  /// The columns with a limit of their own.
  private(set) var limited = List()
  /// The columns that point to records.
  private(set) var references = List()
  /// The target type of each reference.
  private(set) var targets: [String] = []
  /// The names of the app's types.
  let types: [String]
  let tables: [String]

  /// The base columns of a record table that its view shows; the others are internal to the engine.
  private static let base = [
    "company_id", "id", "version", "created_by", "created_at", "updated_by", "updated_at",
  ]

  init(_ manifest: AppManifest) {
    types = manifest.types.map(\.name)
    tables = manifest.types.map(\.table)
    // Embedded apps may have rules in Swift that fill the engine's columns.
    let hasRules = Installation.embeddedApps.contains(manifest.app)
    for type in manifest.types {
      let workflow = type.workflow.flatMap(manifest.workflow)
      let stamped = workflow == nil ? [] : ["status", "status_category"]
      let moved = workflow?.transitions.flatMap { $0.set.map(\.column) + $0.require.fields } ?? []
      status.add(type, stamped)
      shown.add(type, Set(Self.base + stamped + type.creatable + moved).sorted())
      created.add(
        type,
        RecordTypeDefinition.baseColumns + stamped + type.creatable + (hasRules ? type.engine : [])
      )
      limited.add(type, type.limits.keys.sorted())
      references.add(type, type.references.map(\.column))
      targets += type.references.map(\.target)
    }
  }
}
