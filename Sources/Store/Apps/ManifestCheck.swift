internal import Domain
internal import Postgres

/// Checks a manifest against the tables and views that its SQL created, and these tables and views against
/// the rules for all apps.
struct ManifestCheck {
  private let manifest: AppManifest
  private let jobs: Set<String>?
  private let secured: [String]

  /// - Parameters:
  ///   - jobs: the kinds of job that have a handler; nil if unknown.
  ///   - secured: the app's tables that had row-level security before its SQL ran.
  init(_ manifest: AppManifest, jobs: Set<String>? = nil, secured: [String] = []) {
    self.manifest = manifest
    self.jobs = jobs
    self.secured = secured
  }

  /// - Throws: `invalid_manifest` with all findings, each with its code, its path and a hint.
  func run(_ tx: Transaction) throws {
    let columns = try columns(tx)
    var context = ManifestContext()
    context.relations = columns
    context.jobs = jobs
    context.otherTypes.formUnion(
      try tx.rows("select t.name from core.record_type t where t.app <> \(manifest.app)", String.self)
    )
    context.otherNouns = try nouns(tx)
    context.previous = try current(tx)
    let subject = TableRule.Subject(manifest, secured: secured)
    let findings =
      manifest.validate(in: context)
      + (try TableRule.all(subject).flatMap { rule in
        try tx.rows(rule.query, String.self, String.self).map { object, message in
          ManifestDiagnostic(rule.code, "tables.\(object)", "\(object) \(message)", rule.hint)
        }
      })
      + (try renamedStates(context.previous, tx)) + (try PathCheck(manifest, columns: columns).findings(tx))
      + (try zones(tx))
    guard findings.isEmpty else { throw AppRefusal.error(.invalidManifest, app: manifest.app, findings) }
  }

  /// Returns a finding for each view or function that names a state which a new version of a workflow lacks.
  private func renamedStates(_ previous: [String: WorkflowDefinition], _ tx: Transaction) throws
    -> [ManifestDiagnostic]
  {
    let lacking = manifest.workflows.compactMap(\.definition).compactMap { definition in
      previous[definition.name].map { (definition.name, definition.statesLacking(from: $0)) }
    }.filter { !$0.1.isEmpty }
    guard !lacking.isEmpty else { return [] }
    let texts = try WorkflowRules.texts(of: manifest, tx)
    return lacking.flatMap { manifest.findings(aboutStatesLacking: $1, of: $0, in: texts) }
  }

  /// Returns the columns of all tables and views that the manifest names, in one query.
  private func columns(_ tx: Transaction) throws -> [String: Set<String>] {
    let names =
      manifest.types.flatMap { [$0.table, $0.view] } + manifest.tables.map(\.name)
      + manifest.reports.map(\.view) + manifest.referenceTables
    let rows = try tx.rows(
      """
      select format('%s.%s', n.nspname, c.relname), a.attname::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p', 'v') and format('%s.%s', n.nspname, c.relname) = any (\(names))
      """,
      String.self,
      String.self
    )
    return Dictionary(grouping: rows, by: \.0).mapValues { Set($0.map(\.1)) }
  }

  /// Returns the nouns of other apps, installed or embedded, with their types.
  private func nouns(_ tx: Transaction) throws -> [String: String] {
    guard manifest.types.contains(where: { $0.command != nil }) else { return [:] }
    let installed = try tx.rows(
      """
      select t.definition #>> '{command,name}', t.name from core.record_type t
      where t.app <> \(manifest.app) and t.definition ? 'command'
      """,
      String.self,
      String.self
    )
    return AppPackage.embeddedNouns(besides: manifest.app).merging(installed) { embedded, _ in embedded }
  }

  /// Returns the current definitions whose version differs from the manifest's.
  private func current(_ tx: Transaction) throws -> [String: WorkflowDefinition] {
    let types = manifest.types.map(\.name)
    let bodies = try tx.rows(
      "select d.body from core.workflow_definition d where d.record_type = any (\(types)) and d.is_current",
      JSON.self
    )
    let definitions = try bodies.map { try $0.decoded(as: WorkflowDefinition.self) }
    return Dictionary(definitions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      .filter { name, definition in manifest.workflow(name)?.version != definition.version }
  }

  /// Returns a finding for each time zone of a schedule that PostgreSQL does not know.
  private func zones(_ tx: Transaction) throws -> [ManifestDiagnostic] {
    try manifest.schedules.enumerated().compactMap { index, schedule in
      guard case .named(let zone) = schedule.zone else { return nil }
      let isKnown = try tx.value(
        "select exists (select from pg_timezone_names z where z.name = \(zone))",
        as: Bool.self
      )
      guard !isKnown else { return nil }
      return ManifestDiagnostic(
        .invalidZone,
        "schedules[\(index)].zone",
        "PostgreSQL knows no time zone \(Quoted(zone))",
        "write company, UTC, or a name such as Europe/Stockholm"
      )
    }
  }
}
