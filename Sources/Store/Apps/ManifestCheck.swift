internal import Domain
internal import Postgres

/// Holds a manifest against the tables and views that its migrations made.
struct ManifestCheck {
  private let manifest: AppManifest

  init(_ manifest: AppManifest) {
    self.manifest = manifest
  }

  /// - Throws: `invalid_manifest` with everything that does not fit, each with its place and a hint.
  func run(_ tx: Transaction) throws {
    var context = ManifestContext()
    var relations: [String: Set<String>] = [:]
    for type in manifest.types {
      relations[type.table] = try columns(of: type.table, tx)
      relations[type.view] = try columns(of: type.view, tx)
    }
    for table in manifest.tables { relations[table.name] = try columns(of: table.name, tx) }
    for report in manifest.reports { relations[report.view] = try columns(of: report.view, tx) }
    context.relations = relations.filter { !$0.value.isEmpty }
    context.otherTypes.formUnion(try tx.rows("select t.name from core.record_type t", String.self))
    let findings = manifest.validate(in: context)
    guard let first = findings.first else { return }
    let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
    throw DomainError(
      .invalidManifest,
      "\(manifest.app): \(first.path): \(first.message)\(more)",
      hint: first.hint,
      details: ["findings": .strings(findings.map(\.description))]
    )
  }

  private func columns(of relation: String, _ tx: Transaction) throws -> Set<String> {
    let parts = relation.split(separator: ".").map(String.init)
    guard parts.count == 2 else { return [] }
    return Set(try tx.rows(Column.query(schema: parts[0], relation: parts[1]), as: Column.self).map(\.name))
  }
}
