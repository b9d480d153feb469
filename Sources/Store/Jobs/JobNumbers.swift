internal import FoundationEssentials
package import Postgres

/// How many jobs of all companies together there are, for metrics: what a worker may know of companies that
/// it is not inside of.
package struct JobNumbers: Sendable {
  /// Jobs of a queue and kind in a state: `queued` (ready), `waiting`, `retrying`, `running`, `dead` or
  /// `cancelled`.
  package struct Line: RowDecodable, Sendable {
    package let queue: String
    package let kind: String
    package let state: String
    package let jobs: Int
    /// For how long the oldest that is ready has waited.
    package let oldestSeconds: Double?

    package init(row: inout RowReader) throws(PostgresError) {
      queue = try row.next()
      kind = try row.next()
      state = try row.next()
      jobs = try row.next()
      oldestSeconds = try row.next()
    }
  }

  package let lines: [Line]
  /// How many workers hold a lease.
  package let workers: Int
  private let rules: JobRules

  /// Brings the counts forward unless that was done a moment ago, and reads them.
  ///
  /// - Parameter database: connected as `fettle_worker` or `fettle_admin`.
  package static func read(_ database: Database) async throws -> JobNumbers {
    try await database.execute("select core.count_jobs('1 second')")
    return JobNumbers(
      lines: try await database.rows(
        "select n.queue, n.kind, n.state, n.jobs, n.oldest_seconds from core.job_numbers() n",
        as: Line.self
      ),
      workers: try await database.value(
        "select count(*)::int from core.worker w where w.lease_until > clock_timestamp()",
        as: Int.self
      ),
      rules: try await JobRules.read(database)
    )
  }

  /// Whether workers leave a queue and kind alone, of all companies.
  package func isPaused(queue: String, kind: String) -> Bool {
    rules.isPaused(company: JobRules.everyCompany, queue: queue, kind: kind)
  }
}
