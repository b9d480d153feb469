package import Domain
package import FoundationEssentials
package import Postgres

/// A registered worker process; one that is lost is listed until another worker has rescued its jobs.
package struct WorkerRow: RowDecodable, Sendable {
  package let id: UUID
  package let host: String
  /// The process id on its host.
  package let process: Int
  package let queues: [String]
  package let startedAt: Instant
  package let heartbeatAt: Instant
  /// True if the lease of the worker has not expired.
  package let isAlive: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    host = try row.next()
    process = try row.next()
    queues = try row.next()
    startedAt = try row.next()
    heartbeatAt = try row.next()
    isAlive = try row.next()
  }
}

extension WorkerRegister {
  /// Returns the newest workers of all companies, at most 1,000.
  ///
  /// - Parameter database: connected as `fettle_admin` or `fettle_worker`.
  package static func all(_ database: Database) async throws -> [WorkerRow] {
    try await database.rows(
      """
      select w.id, w.host, w.pid, w.queues, w.started_at, w.heartbeat_at, w.lease_until > clock_timestamp()
      from core.worker w
      order by w.started_at desc, w.id
      limit 1000
      """,
      as: WorkerRow.self
    )
  }
}
