package import Domain
internal import FoundationEssentials
package import Postgres

/// Removes an app from a database if none of its tables has rows.
package struct AppUninstaller: Sendable {
  /// The result of an uninstallation.
  package struct Outcome: Sendable {
    package let app: String
    package let version: Int
    package let types: [String]
    package let reports: [String]
    /// The permissions that were removed.
    package let permissions: [String]
  }

  private let database: Database
  private let actor: Actor

  /// - Parameters:
  ///   - database: connected as a login that may `set role fettle_owner`.
  ///   - actor: the actor recorded in the audit.
  package init(_ database: Database, actor: Actor) {
    self.database = database
    self.actor = actor
  }

  /// Drops the app's schema and reports and deletes its types, workflows, grants and permissions, all in one
  /// transaction with an audit entry.
  ///
  /// - Parameter dryRun: true to perform everything, and then roll back.
  /// - Throws: `not_found` if the app is not installed; `app_in_use` with the tables that have rows, of any
  ///   company and including deleted records; `still_referenced` if an object outside the app depends on it,
  ///   or a company's own role holds one of its permissions.
  @discardableResult
  package func uninstall(_ app: String, dryRun: Bool = false) async throws -> Outcome {
    try await database.session { session in
      try session.execute("select pg_advisory_lock(\(Migrator.lockKey))")
      // If this fails, the end of the session releases the lock.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Migrator.lockKey))") }
      return try AppInstaller.patiently(session) { tx in
        let outcome = try uninstall(app, tx)
        if dryRun { try tx.rollback() }
        return outcome
      }
    }
  }

  private func uninstall(_ app: String, _ tx: Transaction) throws -> Outcome {
    guard let installed = try AppInstaller.installed(app, tx) else { throw try Self.unknown(app, tx) }
    let manifest = installed.manifest
    try requireNoRows(manifest, tx)
    try requireNoReferences(manifest, tx)
    try FlatViews.drop(of: manifest, tx)
    let snapshot = try CatalogueSnapshot.take(schema: manifest.schema, reportViews: manifest.reportViews, tx)
    let permissions = try PermissionWriter.names(of: app, tx)
    try forget(manifest, permissions, tx)
    try drop(manifest, tx)
    let left = try CatalogueSnapshot.take(schema: manifest.schema, reportViews: manifest.reportViews, tx)
    try tx.execute("select core.tidy_report_rights()")
    if let other = snapshot.differences(to: left).first {
      throw DomainError(.stillReferenced, "\(other) depends on \(app)", hint: "drop that object first")
    }
    let outcome = Outcome(
      app: app,
      version: installed.version,
      types: manifest.types.map(\.name),
      reports: manifest.reports.map(\.name),
      permissions: permissions
    )
    try AppAudit(actor: actor).write(
      "app.uninstalled",
      app: app,
      [
        "version": .string(String(installed.version)), "types": .strings(outcome.types),
        "permissions": .strings(permissions),
      ],
      tx
    )
    return outcome
  }

  /// Requires that no company has rows in the app's tables. The tables are locked, and the owner bypasses
  /// row-level security on them, because they are about to be dropped.
  private func requireNoRows(_ manifest: AppManifest, _ tx: Transaction) throws {
    let tables = try tx.rows(
      """
      select c.relname::text
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      where n.nspname = \(manifest.schema) and c.relkind in ('r', 'p')
      order by 1
      """,
      String.self
    )
    var used: [(table: String, rows: Int, companies: Int)] = []
    for table in tables {
      let name: SQL = "\(identifier: manifest.schema, table)"
      try tx.execute("lock table \(name) in access exclusive mode")
      try tx.execute("alter table \(name) no force row level security")
      let (rows, companies) =
        try tx.first("select count(*), count(distinct t.company_id) from \(name) t", Int.self, Int.self) ?? (
          0, 0
        )
      if rows > 0 { used.append(("\(manifest.schema).\(table)", rows, companies)) }
    }
    guard !used.isEmpty else { return }
    let total = used.map(\.rows).reduce(0, +)
    throw DomainError(
      .appInUse,
      "\(manifest.app) still has \(total) rows, deleted ones included: "
        + used.map { "\($0.table) \($0.rows) of \($0.companies) companies" }.joined(separator: ", "),
      hint: "keep the app: it can be uninstalled only while its tables have no rows",
      details: [
        "tables": .array(
          used.map { .object(["table": .string($0.table), "rows": .string(String($0.rows))]) }
        )
      ]
    )
  }

  /// Requires that no table or view of others depends on the app, because dropping the app would drop them
  /// too.
  private func requireNoReferences(_ manifest: AppManifest, _ tx: Transaction) throws {
    let flat = try tx.rows(
      "select t.flat_view from core.record_type t where t.app = \(manifest.app) and t.flat_view is not null",
      String.self
    )
    let others = try tx.rows(
      """
      select distinct k.conrelid::regclass::text
      from pg_constraint k
      join pg_class c on c.oid = k.confrelid
      join pg_class o on o.oid = k.conrelid
      where k.contype = 'f'
        and c.relnamespace = to_regnamespace(quote_ident(\(manifest.schema)))
        and o.relnamespace <> c.relnamespace
      union
      select distinct v.oid::regclass::text
      from pg_depend d
      join pg_rewrite w on w.oid = d.objid and d.classid = 'pg_rewrite'::regclass
      join pg_class v on v.oid = w.ev_class
      join pg_class c on c.oid = d.refobjid and d.refclassid = 'pg_class'::regclass
      where c.relnamespace = to_regnamespace(quote_ident(\(manifest.schema)))
        and v.relnamespace <> c.relnamespace
        and not (v.relnamespace = 'report'::regnamespace and v.relname = any (\(manifest.reportViews + flat)))
      order by 1
      """,
      String.self
    )
    guard others.isEmpty else {
      throw DomainError(
        .stillReferenced,
        "\(others.joined(separator: ", ")) refer to \(manifest.app)",
        hint: "uninstall the app that they belong to first"
      )
    }
  }

  private func forget(_ manifest: AppManifest, _ permissions: [String], _ tx: Transaction) throws {
    let held = try PermissionWriter.remove(permissions, tx)
    guard held.isEmpty else { throw try stillHeld(held, by: manifest.app, tx) }
    let types = manifest.types.map(\.name)
    try forgetChoices(about: types, tx)
    try tx.execute("delete from core.app_schedule s where s.app = \(manifest.app)")
    try tx.execute("delete from core.report r where r.app = \(manifest.app)")
    try tx.execute("delete from core.workflow_edge e where e.record_type = any (\(types))")
    try tx.execute("delete from core.workflow_state s where s.record_type = any (\(types))")
    try tx.execute("delete from core.workflow_definition d where d.record_type = any (\(types))")
    try tx.execute("delete from core.record_type t where t.app = \(manifest.app)")
    try tx.execute("delete from core.routine r where r.app = \(manifest.app)")
    try tx.execute("delete from core.migration m where m.app = \(manifest.app)")
    try tx.execute("alter table core.company_app no force row level security")
    try tx.execute("delete from core.company_app c where c.app = \(manifest.app)")
    try tx.execute("alter table core.company_app force row level security")
    try tx.execute("delete from core.app a where a.name = \(manifest.app)")
    try tx.execute(TypeCatalogue.countChange)
  }

  /// Deletes the companies' settings for the types. Otherwise a reinstalled app would find companies that
  /// follow a workflow version which no longer exists.
  private func forgetChoices(about types: [String], _ tx: Transaction) throws {
    for table in ["workflow_choice", "workflow_overlay", "workflow_own", "quota"] {
      let name: SQL = "\(identifier: "core", table)"
      // Deletes the rows of all companies, which only the owner may do, for the length of one statement.
      try tx.execute("alter table \(name) no force row level security")
      try tx.execute("delete from \(name) t where t.record_type = any (\(types))")
      try tx.execute("alter table \(name) force row level security")
    }
  }

  private func drop(_ manifest: AppManifest, _ tx: Transaction) throws {
    for view in manifest.reportViews {
      try tx.execute("drop view if exists report.\(identifier: view)")
    }
    try tx.execute("drop schema if exists \(identifier: manifest.schema) cascade")
  }

  /// Returns the error that names the roles with these permissions. They are read company by company because
  /// of row-level security.
  private func stillHeld(_ permissions: [String], by app: String, _ tx: Transaction) throws -> DomainError {
    let holders = try OperatorView.look(tx) { tx in
      try CompanyStore.all(tx).flatMap { company in
        try OperatorView.enter(company.id, tx)
        return try tx.rows(
          """
          select distinct r.role from core.role_permission r
          where r.company_id = \(company.id) and r.permission = any (\(permissions))
          order by 1
          """,
          String.self
        ).map { "\($0) of \(company.slug)" }
      }
    }
    return DomainError(
      .stillReferenced,
      "roles hold permissions of \(app): \(holders.joined(separator: ", "))",
      hint: "remove them with `fettle role define`, or delete the roles",
      details: ["permissions": .strings(permissions), "roles": .strings(holders)]
    )
  }

  private static func unknown(_ app: String, _ tx: Transaction) throws -> DomainError {
    let names = try tx.rows("select a.name from core.app a order by a.name", String.self)
    let closest = Suggestion.closest(to: app, among: names)
    return DomainError(
      .notFound,
      "the app \(Quoted(app)) is not installed",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(names.joined(separator: ", "))"
    )
  }
}
