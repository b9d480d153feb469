package import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// An app as it is installed in the database.
package struct InstalledApp: RowDecodable, Sendable {
  package let name: String
  package let version: Int
  /// SHA-256 of everything it was installed from.
  package let hash: [UInt8]
  package let installedAt: Timestamp
  /// Its record types.
  package let types: [String]
  /// The permissions it brought.
  package let permissions: [String]

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    version = try row.next()
    hash = try row.next()
    installedAt = try row.next()
    types = try row.next()
    permissions = try row.next()
  }
}

/// An app that is installed, that the program carries, or both.
package struct AppStatus: Sendable {
  /// How the installed app stands to the one the program carries.
  package enum State: String, Sendable {
    /// Both are the same.
    case current
    /// The program carries a newer version: `fettle app upgrade` or `fettle migrate` installs it.
    case upgradePending = "upgrade pending"
    /// The program carries it, and the database does not have it.
    case notInstalled = "not installed"
    /// Installed from a folder; the program does not carry it.
    case fromFolder = "from a folder"
    /// Installed by a newer program.
    case newer = "newer than this program"
    /// The same version with another content: one of the two was built without raising it.
    case differs = "differs from this program"
  }

  package let name: String
  package let installed: InstalledApp?
  /// The version that the program carries.
  package let carried: Int?
  package let state: State
}

/// The apps of a database, the same for every company.
package struct InstalledApps: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// All that are installed, by name.
  package func list() async throws -> [InstalledApp] {
    try await services.database.rows(
      """
      select a.name, a.version, a.hash, a.installed_at,
        array(select t.name from core.record_type t where t.app = a.name order by t.name),
        array(select p.name from core.permission p where p.app = a.name order by p.name)
      from core.app a
      order by a.name
      """,
      as: InstalledApp.self
    )
  }

  /// All that are installed or that the program carries, by name, with what is left to do.
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

  /// The manifests of all installed apps, as they were installed.
  package func manifests() async throws -> [AppManifest] {
    try await services.database.rows(
      "select a.manifest from core.app a where a.manifest is not null order by a.name",
      JSON.self
    ).map { try $0.decoded(as: AppManifest.self) }
  }

  /// The notices of the engine, and those of the installed apps under the names `app.template`.
  package func noticeTemplates() async throws -> [NoticeTemplate] {
    NoticeTemplate.builtIn
      + (try await manifests().flatMap { manifest in
        manifest.templates.map { $0.belonging(to: manifest.app) }
      })
  }
}
