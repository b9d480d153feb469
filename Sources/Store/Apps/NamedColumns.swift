internal import Domain

/// The columns of tables and views that the types of a manifest name, as arrays for queries about the catalogue.
struct NamedColumns {
  /// A column of a type's table, and what the manifest says about it.
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

  /// The columns of records that a type's view has to show: those of every record, and those that people or transitions
  /// write.
  private(set) var shown = List()
  /// The status columns of types with a workflow.
  private(set) var status = List()
  /// The columns that somebody or something gives a value when a record is created.
  private(set) var created = List()
  /// The columns with a limit of their own.
  private(set) var limited = List()
  /// The columns that point to records.
  private(set) var references = List()
  /// The target of each of them.
  private(set) var targets: [String] = []
  /// The tables of the app's own types, by the types' names.
  let types: [String]
  let tables: [String]

  /// The columns of a record table that its view hands through; the others are the engine's own business.
  private static let base = [
    "company_id", "id", "version", "created_by", "created_at", "updated_by", "updated_at",
  ]

  init(_ manifest: AppManifest) {
    types = manifest.types.map(\.name)
    tables = manifest.types.map(\.table)
    // The rules of an app that the program carries give columns of the engine their values.
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
