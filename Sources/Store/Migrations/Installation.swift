package import Domain
internal import FettleSQL
package import Postgres

/// Sets up a database for this program: roles, schemas, permissions, apps.
package enum Installation {
  /// The result of ``install(_:apps:report:)``.
  package struct Outcome: Sendable {
    package var schemas: [SchemaPlan] = []
    package var apps: [AppInstaller.Outcome] = []
  }

  /// The statements that create the database roles; a superuser runs them once in each database.
  package static var roleStatements: String { SQLFiles.at("roles/roles.sql")?.text ?? "" }

  /// The names of the embedded apps.
  package static var embeddedApps: [String] { SQLFiles.apps }

  /// Creates a database unless it exists.
  ///
  /// - Parameter superuser: connected to another database of the cluster.
  package static func createDatabase(_ name: String, superuser: Database) async throws {
    try await superuser.session { session in
      let exists = try session.value(
        "select exists (select from pg_database where datname = \(name))",
        as: Bool.self
      )
      guard !exists else { return }
      do {
        try session.execute("create database \(identifier: name) template template0 encoding 'UTF8'")
      } catch let error as PostgresError where error.sqlState?.rawValue == "42P04" {
        // Another process created it in between.
      }
    }
  }

  /// Creates the database roles, or repairs existing ones.
  ///
  /// - Parameters:
  ///   - superuser: connected to the database itself, because roles get their rights in it.
  ///   - statements: the statements to run; tests break one of them.
  package static func prepareRoles(superuser: Database, statements: String = roleStatements) async throws {
    try await superuser.session { session in
      for statement in StatementSplitter.split(statements) {
        try session.execute(SQL(trusted: statement.text))
      }
    }
  }

  /// Returns the pending files of the engine and of each embedded app that is not up to date.
  package static func plan(_ admin: Database) async throws -> [SchemaPlan] {
    var plans = [try await Migrator(admin).plan(.core())]
    for package in try AppPackage.allEmbedded() {
      plans.append(try await Migrator(admin).plan(package.schemaFiles))
    }
    return plans.filter { !$0.isEmpty }
  }

  /// True if no file is pending and all embedded apps are installed with their current content.
  package static func isCurrent(_ admin: Database) async throws -> Bool {
    guard try await plan(admin).isEmpty else { return false }
    let installed = try await admin.rows(
      "select a.name, a.hash from core.app a",
      String.self,
      [UInt8].self
    )
    return embeddedApps.allSatisfy { app in
      installed.contains { $0.0 == app && $0.1 == AppPackage.hash(embedded: app) }
    }
  }

  /// Migrates the engine's schema, and installs or upgrades embedded apps that changed.
  ///
  /// An app comes after those that it refers to.
  ///
  /// - Parameters:
  ///   - core: the engine's schema; nil for the embedded one.
  ///   - apps: the names of the apps to install.
  /// - Throws: `unavailable` if the database roles are missing, and the errors of ``Migrator`` and
  ///   ``AppInstaller``.
  package static func install(
    _ admin: Database,
    core: SchemaFiles? = nil,
    apps: [String] = embeddedApps,
    actor: Actor = .system("install"),
    report: @escaping @Sendable (Migrator.Event) -> Void = { _ in }
  ) async throws -> Outcome {
    try await requireRoles(admin)
    var outcome = Outcome()
    outcome.schemas = [try await Migrator(admin).migrate(core ?? .core(), report: report)]
    let installer = AppInstaller(admin, actor: actor)
    try await installer.installEnginePermissions()
    for package in try AppPackage.allEmbedded() where apps.contains(package.manifest.app) {
      let installed = try await installer.install(package)
      outcome.apps.append(installed)
      outcome.schemas.append(installed.schema)
    }
    try await installer.refreshDerived()
    return outcome
  }

  /// Requires the database roles. Roles belong to the whole server, but default privileges on new functions
  /// are set in each database.
  private static func requireRoles(_ admin: Database) async throws {
    let ready = try await admin.value(
      """
      select exists (
        select from pg_default_acl d
        where d.defaclrole = (select r.oid from pg_roles r where r.rolname = 'fettle_owner')
          and d.defaclnamespace = 0 and d.defaclobjtype = 'f')
      """,
      as: Bool.self
    )
    guard ready else {
      throw DomainError(
        .unavailable,
        "the database roles are missing, or are not set up in this database",
        hint: "run once as a superuser, in this database: fettle migrate --print-roles | psql"
      )
    }
  }
}
