internal import FoundationEssentials
package import Postgres

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

/// The apps of a database, the same for every company.
package struct InstalledApps: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// All of them, by name.
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
}
