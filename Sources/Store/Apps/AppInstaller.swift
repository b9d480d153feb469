package import Domain
package import Postgres
internal import Secrets

/// Installs or upgrades an app: its tables, and the reference rows of its manifest.
///
/// Everything happens in one transaction as `fettle_owner`. Afterwards the app is installed, checked against
/// the catalogue, isolated and guarded, or nothing has changed. Each lock has a timeout of 300 ms, after
/// which the transaction starts again, up to 60 times in total: an installation that waits does not block the
/// writers behind it.
package struct AppInstaller: Sendable {
  /// The result of an installation.
  package struct Outcome: Sendable {
    package let app: String
    package let version: Int
    /// The version that was installed before; nil if there was none.
    package let previous: Int?
    /// False if the same version with the same content was installed already.
    package let changed: Bool
    /// The applied files of tables and changes, functions and views.
    package let schema: SchemaPlan
    /// The permissions that were added.
    package let newPermissions: [String]
    /// The permissions that were removed.
    package let oldPermissions: [String]
  }

  /// An app as it is recorded in the database.
  struct Installed {
    let version: Int
    let hash: [UInt8]
    let manifest: AppManifest
  }

  /// The maximum number of attempts while a table is in use.
  private static let attempts = 60

  private let database: Database
  private let jobs: Set<String>?
  private let commands: Set<String>
  private let actor: Actor

  /// - Parameters:
  ///   - database: connected as a login that may `set role` to fettle_owner and fettle_installer.
  ///   - jobs: the kinds of job that have a handler; nil if unknown.
  ///   - commands: the commands of compiled apps, which no noun can have.
  ///   - actor: the actor recorded in the audit.
  package init(
    _ database: Database,
    jobs: Set<String>? = nil,
    commands: Set<String> = [],
    actor: Actor = .system("install")
  ) {
    self.database = database
    self.jobs = jobs
    self.commands = commands
    self.actor = actor
  }

  /// Installs an embedded app.
  @discardableResult
  package func install(embedded app: String) async throws -> Outcome {
    try await install(AppPackage.embedded(app))
  }

  /// Installs or upgrades an app.
  ///
  /// - Parameter dryRun: true to perform everything, and then roll back.
  /// - Throws: `app_version` if the content changed without a higher version, or if a higher version is
  ///   installed; `invalid_manifest` and `refused_sql` with the findings; `migration_changed` if an applied
  ///   file has changed since; `migration_failed` for a statement that PostgreSQL rejects.
  @discardableResult
  package func install(_ package: AppPackage, dryRun: Bool = false) async throws -> Outcome {
    try await database.session { session in
      try session.execute("select pg_advisory_lock(\(Migrator.lockKey))")
      // If this fails, the end of the session releases the lock.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Migrator.lockKey))") }
      return try Self.patiently(session) { tx in
        let outcome = try install(package, tx)
        if dryRun { try tx.rollback() }
        return outcome
      }
    }
  }

  /// Runs a transaction as `fettle_owner` with a lock timeout of 300 ms, and retries it from the start, so
  /// that it does not block others.
  static func patiently<Value>(
    _ session: Session,
    _ body: (Transaction) throws -> Value
  ) throws -> Value {
    var attempt = 1
    while true {
      do {
        return try session.transaction { tx in
          try Migrator.becomeOwner(tx)
          try tx.execute("set local lock_timeout = '300ms'")
          return try body(tx)
        }
      } catch let error as PostgresError
        where attempt < attempts && [.lockNotAvailable, .deadlockDetected].contains(error.sqlState)
      {
        attempt += 1
        try session.execute("select pg_sleep(0.05 + random() * 0.2)")
      }
    }
  }

  private func install(_ package: AppPackage, _ tx: Transaction) throws -> Outcome {
    let manifest = package.manifest
    let installed = try Self.installed(manifest.app, tx)
    guard try Self.isNewer(package, than: installed) else {
      return Outcome(
        app: manifest.app,
        version: manifest.version,
        previous: installed?.version,
        changed: false,
        schema: SchemaPlan(app: manifest.app),
        newPermissions: [],
        oldPermissions: []
      )
    }
    let findings = package.manifestFindings(commands: commands)
    guard findings.isEmpty else { throw AppRefusal.error(.invalidManifest, app: manifest.app, findings) }
    try requireOwnSchema(manifest, installed, tx)
    let pending = try MigrationPlan(
      files: package.migrations,
      applied: Migrator.applied(app: manifest.app, tx)
    ).pending
    let before = Set(try PermissionWriter.names(of: manifest.app, tx))
    let secured = try secured(manifest, tx)
    // Before the fence: they belong to the installer, and would hold the columns that a change alters.
    try FlatViews.drop(of: manifest, tx)
    let scripts = AppScripts(
      package,
      pending: pending,
      installedReports: installed?.manifest.reportViews ?? []
    )
    let schema = try scripts.run(tx)
    try ManifestCheck(manifest, jobs: jobs, secured: secured).run(tx)
    try ManifestWriter(manifest, hash: package.hash).write(tx)
    if installed != nil { try OwnWorkflowCheck(manifest).run(tx) }
    let failures = try AppRehearsal(manifest).findings(tx)
    guard failures.isEmpty else { throw AppRefusal.error(.invalidManifest, app: manifest.app, failures) }
    let after = Set(try PermissionWriter.names(of: manifest.app, tx))
    let outcome = Outcome(
      app: manifest.app,
      version: manifest.version,
      previous: installed?.version,
      changed: true,
      schema: schema,
      newPermissions: after.subtracting(before).sorted(),
      oldPermissions: before.subtracting(after).sorted()
    )
    try AppAudit(actor: actor).write(outcome, hash: package.hash, tx)
    return outcome
  }

  /// Returns true if the package has to be installed.
  ///
  /// - Throws: `app_version` if a higher version is installed, or the same version with other content.
  private static func isNewer(_ package: AppPackage, than installed: Installed?) throws -> Bool {
    guard let installed else { return true }
    let manifest = package.manifest
    if installed.version > manifest.version {
      throw DomainError(
        .appVersion,
        "\(manifest.app) is installed in version \(installed.version), which is newer than \(manifest.version)",
        hint: "install version \(installed.version) or later, or uninstall the app first"
      )
    }
    if installed.version < manifest.version { return true }
    if installed.hash == package.hash { return false }
    throw DomainError(
      .appVersion,
      "\(manifest.app) \(manifest.version) is installed already, with different content",
      hint: "write version: \(manifest.version + 1) in its manifest"
    )
  }

  /// Requires that the schema belongs to the app, and that an upgrade keeps all types and workflows.
  private func requireOwnSchema(_ manifest: AppManifest, _ installed: Installed?, _ tx: Transaction) throws {
    var findings: [ManifestDiagnostic] = []
    let exists = try tx.value(
      "select to_regnamespace(quote_ident(\(manifest.schema))) is not null",
      as: Bool.self
    )
    let own = installed?.manifest.schema
    if own != nil && own != manifest.schema || own == nil && exists {
      findings.append(
        ManifestDiagnostic(
          .schemaTaken,
          "schema",
          "the schema \(manifest.schema) \(own == nil ? "exists already" : "is not the one it was installed in")",
          own.map { "write schema: \($0)" } ?? "choose another name"
        )
      )
    }
    for type in installed?.manifest.types ?? [] where manifest.type(type.name) == nil {
      findings.append(
        ManifestDiagnostic(
          .typeRemoved,
          "types.\(type.name)",
          "the installed version has the type, and the new version does not",
          "keep the type; remove its grants if nobody should use it"
        )
      )
    }
    for type in manifest.types
    where type.workflow == nil && installed?.manifest.type(type.name)?.workflow != nil {
      findings.append(
        ManifestDiagnostic(
          .workflowRemoved,
          "types.\(type.name).workflow",
          "the installed version has a workflow that records follow",
          "keep the workflow, or remove its transitions"
        )
      )
    }
    guard findings.isEmpty else {
      throw AppRefusal.error(.invalidManifest, app: manifest.app, findings)
    }
  }

  private func secured(_ manifest: AppManifest, _ tx: Transaction) throws -> [String] {
    try tx.rows(
      """
      select format('%s.%s', n.nspname, c.relname)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = \(manifest.schema) and c.relkind in ('r', 'p') and c.relrowsecurity
      """,
      String.self
    )
  }

  /// Returns an app as recorded in the database; nil if it is not installed.
  static func installed(_ app: String, _ tx: Transaction) throws -> Installed? {
    let row = try tx.first(
      "select a.version, a.hash, a.manifest from core.app a where a.name = \(app)",
      Int.self,
      [UInt8].self,
      JSON.self
    )
    guard let row else { return nil }
    return Installed(version: row.0, hash: row.1, manifest: try row.2.decoded(as: AppManifest.self))
  }

  /// Creates what this program derives from manifests otherwise than the one that installed the apps: flat views, and
  /// indexes of names.
  package func refreshDerived() async throws {
    try await database.session { session in
      try session.execute("select pg_advisory_lock(\(Migrator.lockKey))")
      // If this fails, the end of the session releases the lock.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Migrator.lockKey))") }
      try Self.patiently(session) { tx in
        try FlatViews.write(tx)
        try NameIndexes.write(tx)
        try tx.execute("select core.tidy_report_rights()")
      }
    }
  }

  /// Writes the engine's own permissions and their grants to the built-in roles.
  package func installEnginePermissions() async throws {
    try await database.session { session in
      try session.transaction { tx in
        // Serialised like all installations: the `on conflict` of a permission covers only one of its two
        // unique keys.
        try tx.execute("select pg_advisory_xact_lock(\(Migrator.lockKey))")
        try Migrator.becomeOwner(tx)
        try PermissionWriter.writeEngine(tx)
      }
    }
  }
}
