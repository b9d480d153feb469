internal import FoundationEssentials
package import Postgres

/// The number of jobs of all companies together, for metrics. A worker may learn no more about companies that
/// it is not inside of.
package struct JobNumbers: Sendable {
  /// The states in which jobs are counted.
  package enum State: String, PostgresTextEnum, CaseIterable, Sendable {
    /// Ready and not claimed.
    case queued
    /// Scheduled for later.
    case waiting
    case retrying, running, dead, cancelled
  }

  /// Jobs of a queue and kind in a state.
  package struct Line: RowDecodable, Sendable {
    package let queue: String
    package let kind: String
    package let state: State
    package let jobs: Int
    /// The number of seconds for which the oldest ready job has waited; nil for other states than `queued`.
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
  /// The number of workers with a valid lease.
  package let workers: Int
  private let rules: JobRules

  /// Reads the counters. Brings them up to date first, unless they are younger than one second.
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

  /// True if a queue and kind is paused for all companies.
  package func isPaused(queue: String, kind: String) -> Bool {
    rules.isPaused(company: JobRules.everyCompany, queue: queue, kind: kind)
  }
}
