package import FoundationEssentials
package import Postgres

/// A job as operators look at it.
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
  /// Who has it, or had it last.
  package let worker: UUID?
  /// The jobs that are claimed in turn with it.
  package let lane: UUID
  /// The transaction that enqueued it; nil: it is not enqueued.
  let transaction: String?

  /// What ``init(row:)`` reads, from a `core.job_line` called l and a company called c.
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

  /// Whether it only says how far was looked: no job that fits was found for a long way.
  var isMilestone: Bool { state.isEmpty }

  /// By what lists of several sources are merged.
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
