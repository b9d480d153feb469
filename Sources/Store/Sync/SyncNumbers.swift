package import Postgres

/// The totals of the devices of all companies, for metrics.
package struct SyncNumbers: RowDecodable, Sendable {
  /// The devices that were seen in the last 180 days and are not revoked.
  package let devices: Int
  /// Those of them that lack changes of their company.
  package let behind: Int
  /// The changes that wait on devices, as these said last.
  package let pending: Int
  /// The age of the oldest of these in seconds; 0 if none waits.
  package let oldestSeconds: Double
  package let conflicts: Int
  package let failed: Int
  /// The seconds for which the oldest conflict or failed change has waited for a person; 0 if none waits.
  package let undecidedSeconds: Double

  package init(row: inout RowReader) throws(PostgresError) {
    devices = try row.next()
    behind = try row.next()
    pending = try row.next()
    oldestSeconds = try row.next()
    conflicts = try row.next()
    failed = try row.next()
    undecidedSeconds = try row.next()
  }

  /// Reads the totals.
  ///
  /// - Parameter database: connected as `fettle_worker` or `fettle_admin`.
  package static func read(_ database: Database) async throws -> SyncNumbers? {
    try await database.rows(
      """
      select n.devices, n.behind, n.pending, n.oldest_seconds, n.conflicts, n.failed, n.undecided_seconds
      from core.sync_numbers() n
      """,
      as: SyncNumbers.self
    ).first
  }
}
