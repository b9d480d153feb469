internal import Domain
internal import Postgres

/// Holds a manifest against the tables and views that its migrations made.
struct ManifestCheck {
  private let manifest: AppManifest

  init(_ manifest: AppManifest) {
    self.manifest = manifest
  }

  /// - Throws: `invalid_manifest` naming the first thing that is not there.
  func run(_ tx: Transaction) throws {
    for type in manifest.types { try check(type, tx) }
  }

  private func check(_ type: RecordTypeDefinition, _ tx: Transaction) throws {
    let table = try columns(of: type.table, type, tx)
    let view = try columns(of: type.view, type, tx)
    for column in RecordTypeDefinition.baseColumns where !table.contains(column) {
      throw fault(type, "table \(type.table) lacks the base column \(column)")
    }
    let written = type.editable + type.fixed + type.engine + type.references.map(\.column)
    for column in written where !table.contains(column) {
      throw fault(type, "table \(type.table) has no column \(column)", closest: column, among: table)
    }
    for column in type.search + type.sort + [type.titleField] where !view.contains(column) {
      throw fault(type, "view \(type.view) has no column \(column)", closest: column, among: view)
    }
    if let workflow = type.workflow {
      guard let definition = manifest.workflow(workflow) else {
        throw fault(type, "there is no workflow \(workflow)")
      }
      for column in ["status", "status_category"] where !table.contains(column) {
        throw fault(type, "table \(type.table) has a workflow but no column \(column)")
      }
      for column in definition.columnsSet.sorted() where !table.contains(column) {
        throw fault(type, "workflow \(workflow) sets \(column), which \(type.table) does not have")
      }
    }
    for reference in type.references where !reference.target.hasPrefix("core.") {
      let known = manifest.type(reference.target) != nil
      guard try known || isInstalled(reference.target, tx) else {
        throw fault(type, "\(reference.column) refers to \(reference.target), which is no record type")
      }
    }
  }

  private func isInstalled(_ type: String, _ tx: Transaction) throws -> Bool {
    try tx.value("select exists (select from core.record_type where name = \(type))", as: Bool.self) == true
  }

  private func columns(of relation: String, _ type: RecordTypeDefinition, _ tx: Transaction) throws -> [String] {
    let parts = relation.split(separator: ".").map(String.init)
    let columns = try tx.rows(Column.query(schema: parts[0], relation: parts[1]), as: Column.self)
    guard !columns.isEmpty else { throw fault(type, "there is no table or view \(relation)") }
    return columns.map(\.name)
  }

  private func fault(
    _ type: RecordTypeDefinition, _ message: String, closest name: String? = nil, among candidates: [String] = []
  ) -> DomainError {
    let suggestion = name.flatMap { Suggestion.closest(to: $0, among: candidates) }
    return DomainError(
      .invalidManifest, "\(type.name): \(message)", hint: suggestion.map { "did you mean \($0)?" })
  }
}
