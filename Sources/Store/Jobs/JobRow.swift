package import Domain
package import FoundationEssentials
package import Postgres

/// A job as operators see it.
package struct JobRow: RowDecodable, Sendable {
  package let company: String
  package let companyID: UUID
  package let id: UUID
  package let kind: String
  package let queue: String
  package let state: JobState
  package let attempt: Int
  package let maxAttempts: Int
  package let runAt: Instant
  package let createdAt: Instant
  package let finishedAt: Instant?
  package let priority: Int
  /// The worker that holds the job or held it last; nil if none is recorded.
  package let worker: UUID?
  /// The id of the lane that the job is claimed from.
  package let lane: UUID
  /// The transaction that wrote the job's queued row; nil for a deferred or ended job.
  let transaction: String?
  /// True if the row is not a job, but marks how far a list was read without finding enough jobs.
  let isMilestone: Bool

  /// The columns that ``init(row:)`` reads, from a `core.job_line` called l and a company called c.
  static let columns: SQL = """
    c.slug, l.company_id, l.id, l.kind, l.queue, l.state, l.attempt, l.max_attempts, l.run_at,
      l.created_at, l.finished_at, l.priority::integer, l.worker_id, l.lane, l.xid::text
    """

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    companyID = try row.next()
    id = try row.next()
    kind = try row.next()
    queue = try row.next()
    // Only milestones have no state.
    let state: JobState? = try row.next()
    isMilestone = state == nil
    self.state = state ?? .queued
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

  /// The time by which lists of several sources are merged.
  var listedAt: Instant { finishedAt ?? createdAt }
}

/// The outcome of an attempt.
package enum AttemptOutcome: String, PostgresTextEnum, Sendable {
  case succeeded
  /// The attempt failed; the job is retried or dead.
  case failed
  /// The job asked to run later; the attempt does not count.
  case snoozed
  /// The claim was ended as lost.
  case lost
  case cancelled
}

extension JobState: PostgresTextEnum {}

/// One attempt of a job.
package struct JobAttemptRow: RowDecodable, Sendable {
  package let attempt: Int
  package let startedAt: Instant
  package let finishedAt: Instant?
  package let outcome: AttemptOutcome?
  package let error: String?

  package init(row: inout RowReader) throws(PostgresError) {
    attempt = try row.next()
    startedAt = try row.next()
    finishedAt = try row.next()
    outcome = try row.next()
    error = try row.next()
  }
}
