package import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// An app as installed in the database.
package struct InstalledApp: RowDecodable, Sendable {
  package let name: String
  /// What people call it.
  package let title: String?
  package let version: Int
  /// The SHA-256 of all source files of the app.
  package let hash: [UInt8]
  package let installedAt: Instant
  /// The names of the app's record types.
  package let types: [String]
  /// The names of the permissions that the app adds.
  package let permissions: [String]

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    title = try row.next()
    version = try row.next()
    hash = try row.next()
    installedAt = try row.next()
    types = try row.next()
    permissions = try row.next()
  }
}

/// An app that is installed, bundled with the program, or both.
package struct AppStatus: Sendable {
  /// The installed app compared with the bundled one.
  package enum State: String, Sendable {
    /// The installed and the bundled app are the same.
    case current
    /// The bundled app is newer. `fettle app upgrade` or `fettle migrate` installs it.
    case upgradePending = "upgrade pending"
    /// The app is bundled but not installed.
    case notInstalled = "not installed"
    /// The app was installed from a folder and is not bundled.
    case fromFolder = "from a folder"
    /// The installed app is newer than the bundled one.
    case newer = "newer than this program"
    /// The versions are equal but the contents differ: an app was changed without raising its version.
    case differs = "differs from this program"
  }

  package let name: String
  package let installed: InstalledApp?
  /// The version bundled with the program; nil if the app is not bundled.
  package let carried: Int?
  package let state: State
}

/// The apps of a database; all companies share them.
package struct InstalledApps: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns all installed apps, by name.
  package func list() async throws -> [InstalledApp] {
    try await services.database.rows(
      """
      select a.name, a.manifest ->> 'title', a.version, a.hash, a.installed_at,
        array(select t.name from core.record_type t where t.app = a.name order by t.name),
        array(select p.name from core.permission p where p.app = a.name order by p.name)
      from core.app a
      order by a.name
      """,
      as: InstalledApp.self
    )
  }

  /// Returns all installed or bundled apps, by name, with their states.
  package func overview() async throws -> [AppStatus] {
    let installed = try await list()
    let carried = try AppPackage.allEmbedded()
    let names = Set(installed.map(\.name)).union(carried.map(\.manifest.app))
    return names.sorted().map { name in
      let here = installed.first { $0.name == name }
      let package = carried.first { $0.manifest.app == name }
      return AppStatus(
        name: name,
        installed: here,
        carried: package?.manifest.version,
        state: Self.state(here, package)
      )
    }
  }

  private static func state(_ installed: InstalledApp?, _ carried: AppPackage?) -> AppStatus.State {
    guard let installed else { return .notInstalled }
    guard let carried else { return .fromFolder }
    if installed.version < carried.manifest.version { return .upgradePending }
    if installed.version > carried.manifest.version { return .newer }
    return installed.hash == carried.hash ? .current : .differs
  }

  /// Returns the manifests of all installed apps, as they were at their installation.
  package func manifests() async throws -> [AppManifest] {
    try await services.database.rows(
      "select a.manifest from core.app a where a.manifest is not null order by a.name",
      JSON.self
    ).map { try $0.decoded(as: AppManifest.self) }
  }

  /// Returns the notice templates of the engine, and those of the installed apps under the name
  /// `app.template`.
  package func noticeTemplates() async throws -> [NoticeTemplate] {
    NoticeTemplate.builtIn
      + (try await manifests().flatMap { manifest in
        manifest.templates.map { $0.belonging(to: manifest.app) }
      })
  }
}
