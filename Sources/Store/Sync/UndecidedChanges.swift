package import Domain
package import Postgres

/// The changes of a company's devices that wait for a person.
package struct UndecidedChanges: RowDecodable, Sendable {
  /// The short name of the company.
  package let company: String
  package let conflicts: Int
  package let failed: Int
  /// The time since which the oldest has waited.
  package let since: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    conflicts = try row.next()
    failed = try row.next()
    since = try row.next()
  }

  /// Returns the companies in which changes wait, the longest wait first, at most 200.
  ///
  /// - Parameter database: connected as `fettle_admin`.
  package static func all(_ database: Database) async throws -> [UndecidedChanges] {
    try await database.rows(
      "select u.company, u.conflicts, u.failed, u.since from core.sync_undecided() u",
      as: UndecidedChanges.self
    )
  }
}
