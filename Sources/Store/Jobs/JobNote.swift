package import FoundationEssentials
package import Postgres

/// A progress report or a message of a running job.
package struct JobNote: Sendable {
  /// The fraction of the job that is done, from 0 to 1; nil if not reported.
  package let done: Double?
  package let text: String?
  /// The time since the note was written, from which the database computes its time by its own clock.
  package let age: Duration

  package init(done: Double?, text: String?, age: Duration) {
    self.done = done
    self.text = text
    self.age = age
  }
}

extension JobQueue {
  /// Stores notes of jobs of one company. Notes of jobs whose claim is lost are dropped.
  package func write(_ notes: [(job: ClaimedJob, notes: [JobNote])], company: UUID, worker: UUID) async throws
  {
    var options = TransactionOptions.inside(company)
    options.retries = 3
    try await database.transaction(options) { tx in
      try tx.pipeline { pipeline in
        for (job, notes) in notes where !notes.isEmpty {
          pipeline.execute(Self.statement(job, notes, company: company, worker: worker))
        }
      }
    }
  }

  private static func statement(_ job: ClaimedJob, _ notes: [JobNote], company: UUID, worker: UUID) -> SQL {
    """
    insert into core.job_note (company_id, job_id, attempt, at, done, text)
    with claim as materialized (
      select core.holds_claim(\(job.lane), \(job.fence), \(worker), \(job.id), \(Int32(clamping: job.round))) as is_held
    )
    select \(company), \(job.id), \(Int32(clamping: job.attempt)), clock_timestamp() - make_interval(secs => n.age), n.done, n.text
    from claim c
    cross join unnest(\(notes.map(\.age.seconds)), \(notes.map(\.done)), \(notes.map(\.text)))
      with ordinality n (age, done, text, place)
    where c.is_held
    order by n.place
    """
  }
}

/// A note of a job as operators see it.
package struct JobNoteRow: RowDecodable, Sendable {
  package let id: UUID
  package let at: Instant
  package let attempt: Int
  package let done: Double?
  package let text: String?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    at = try row.next()
    attempt = try row.next()
    done = try row.next()
    text = try row.next()
  }
}

extension JobListing {
  /// Returns the last notes of a job, oldest first; the transaction is inside its company.
  ///
  /// - Parameter limit: the maximum number of notes.
  package static func notes(company: UUID, id: UUID, limit: Int, _ tx: Transaction) throws -> [JobNoteRow] {
    try tx.rows(
      """
      select x.id, x.at, x.attempt, x.done, x.text
      from (
        select n.id, n.at, n.attempt, n.done, n.text
        from core.job_note n
        where n.company_id = \(company) and n.job_id = \(id)
        order by n.at desc, n.id
        limit \(Int32(clamping: limit))
      ) x
      order by x.at, x.id
      """,
      as: JobNoteRow.self
    )
  }
}
