package import FoundationEssentials
package import Postgres

/// Something that a job told while it ran: how far it is, or a line for whoever looks at it.
package struct JobNote: Sendable {
  /// How much of the job is done, from 0 to 1; nil: it did not say.
  package let done: Double?
  package let text: String?
  /// How long ago it was told, so that the database's clock says when.
  package let age: Duration

  package init(done: Double?, text: String?, age: Duration) {
    self.done = done
    self.text = text
    self.age = age
  }
}

extension JobQueue {
  /// Writes down what jobs of one company told, of those whose claims hold; of others nothing.
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
      select core.holds_claim(\(job.lane), \(job.fence), \(worker), \(job.id), \(Int32(job.round))) as is_held
    )
    select \(company), \(job.id), \(Int32(job.attempt)), clock_timestamp() - make_interval(secs => n.age), n.done, n.text
    from claim c
    cross join unnest(\(notes.map(\.age.seconds)), \(notes.map(\.done)), \(notes.map(\.text)))
      with ordinality n (age, done, text, place)
    where c.is_held
    order by n.place
    """
  }
}

/// What a job told, as operators look at it.
package struct JobNoteRow: RowDecodable, Sendable {
  package let id: UUID
  package let at: Timestamp
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
  /// What a job told last, oldest first; the transaction is inside its company.
  ///
  /// - Parameter limit: how many at most.
  package static func notes(company: UUID, id: UUID, limit: Int, _ tx: Transaction) throws -> [JobNoteRow] {
    try tx.rows(
      """
      select x.id, x.at, x.attempt, x.done, x.text
      from (
        select n.id, n.at, n.attempt, n.done, n.text
        from core.job_note n
        where n.company_id = \(company) and n.job_id = \(id)
        order by n.at desc, n.id
        limit \(Int32(limit))
      ) x
      order by x.at, x.id
      """,
      as: JobNoteRow.self
    )
  }
}
