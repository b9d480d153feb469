package import FoundationEssentials
package import Postgres

/// A job as operators see it.
package struct JobRow: RowDecodable, Sendable {
  package let company: String
  package let companyID: UUID
  package let id: UUID
  package let kind: String
  package let queue: String
  package let state: String
  package let attempt: Int
  package let maxAttempts: Int
  package let runAt: Timestamp
  package let createdAt: Timestamp
  package let finishedAt: Timestamp?
  package let priority: Int
  /// The worker that holds it, or held it last.
  package let worker: UUID?
  /// The lane that it is claimed from.
  package let lane: UUID
  /// The transaction that enqueued it; nil if it is not enqueued.
  let transaction: String?

  /// The columns that ``init(row:)`` reads, from a `core.job_line` called l and a company called c.
  static let columns: SQL = """
    c.slug, l.company_id, l.id, l.kind, l.queue, coalesce(l.state, ''), l.attempt, l.max_attempts, l.run_at,
      l.created_at, l.finished_at, l.priority::integer, l.worker_id, l.lane, l.xid::text
    """

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    companyID = try row.next()
    id = try row.next()
    kind = try row.next()
    queue = try row.next()
    state = try row.next()
    attempt = try row.next()
    maxAttempts = try row.next()
    runAt = try row.next()
    createdAt = try row.next()
    finishedAt = try row.next()
    priority = try row.next()
    worker = try row.next()
    lane = try row.next()
    transaction = try row.next()
  }

  /// True if it only marks how far the search got: no job that fits was found for a long way.
  var isMilestone: Bool { state.isEmpty }

  /// The time by which lists of several sources are merged.
  var listedAt: Timestamp { finishedAt ?? createdAt }
}

/// One attempt of a job.
package struct JobAttemptRow: RowDecodable, Sendable {
  package let attempt: Int
  package let startedAt: Timestamp
  package let finishedAt: Timestamp?
  package let outcome: String?
  package let error: String?

  package init(row: inout RowReader) throws(PostgresError) {
    attempt = try row.next()
    startedAt = try row.next()
    finishedAt = try row.next()
    outcome = try row.next()
    error = try row.next()
  }
}
