package import Domain
internal import FettleSQL
package import Postgres
internal import Secrets

/// Installs an app: its tables, and what its manifest says about them.
///
/// Everything happens in one transaction as `fettle_owner`: either the app is there afterwards, checked against
/// the catalogue, isolated and guarded, or nothing has changed.
package struct AppInstaller: Sendable {
  /// What an installation did.
  package struct Outcome: Sendable {
    package let app: String
    package let version: Int
    /// False when the same version with the same content was there already.
    package let changed: Bool
    package let migrations: [Migration]
  }

  private let database: Database

  /// - Parameter database: connected as a login that may `set role fettle_owner`.
  package init(_ database: Database) {
    self.database = database
  }

  /// Installs an app that the binary carries.
  @discardableResult
  package func install(embedded app: String) async throws -> Outcome {
    let manifest = try ManifestReader.embedded(app)
    let migrations = Migration.embedded(app: app, folder: "apps/\(app)")
    return try await install(manifest, migrations: migrations, hash: Self.hash(of: app))
  }

  /// The hash of everything in the folder of an app that the binary carries.
  package static func hash(of app: String) -> [UInt8] {
    SHA256.hash(SQLFiles.below("apps/\(app)").flatMap(\.bytes))
  }

  /// Installs an app from its parts.
  ///
  /// - Parameter hash: of everything in its folder; the same again means that there is nothing to do.
  @discardableResult
  package func install(_ manifest: AppManifest, migrations: [Migration], hash: [UInt8]) async throws
    -> Outcome
  {
    try await database.session { session in
      try session.execute("select pg_advisory_lock(\(Migrator.lockKey))")
      // If this fails, closing the session releases it too.
      defer { _ = try? session.execute("select pg_advisory_unlock(\(Migrator.lockKey))") }
      let installed = try session.first(
        "select version, hash from core.app where name = \(manifest.app)",
        Int.self,
        [UInt8].self
      )
      if let installed, installed.0 == manifest.version, installed.1 == hash {
        return Outcome(app: manifest.app, version: manifest.version, changed: false, migrations: [])
      }
      let applied = try Migrator.applied(app: manifest.app, in: session)
      let pending = try MigrationPlan(files: migrations, applied: applied).pending
      try session.transaction { tx in
        try Migrator.becomeOwner(tx)
        for migration in pending { try Migrator.run(migration, tx) }
        try ManifestCheck(manifest).run(tx)
        try ManifestWriter(manifest, hash: hash).write(tx)
      }
      return Outcome(app: manifest.app, version: manifest.version, changed: true, migrations: pending)
    }
  }

  /// Writes the permissions of the engine itself and what the built-in roles hold of them.
  package func installEnginePermissions() async throws {
    try await database.session { session in
      try session.transaction { tx in
        try Migrator.becomeOwner(tx)
        try PermissionWriter.writeEngine(tx)
      }
    }
  }
}
