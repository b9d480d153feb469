package import FoundationEssentials
package import Postgres

/// The outbox: jobs written in the transaction that causes them, so that both commit or neither does.
///
/// Jobs that may run at once are enqueued; jobs with a time are deferred.
package enum JobOutbox {
  /// The columns of a new job, after the company.
  static let columns: SQL = """
    lane, id, round, queue, kind, priority, max_attempts, unique_key, cause_type, cause_id, trace_id, payload
    """

  /// Returns the statements that enqueue `jobs`, as part of a unit of work.
  static func statements(_ jobs: [NewJob], company: UUID, traceID: String?) -> [SQL] {
    guard !jobs.isEmpty else { return [] }
    let plain = jobs.filter { $0.uniqueKey == nil && $0.runAt == nil }
    let single = jobs.filter { $0.uniqueKey != nil || $0.runAt != nil }.map {
      self.single($0, company: company, traceID: traceID)
    }
    guard plain.count > Changes.few else {
      return single + plain.map { insert($0, company: company, traceID: traceID) }
    }
    return single + plain.chunked().map { insert($0, company: company, traceID: traceID) }
  }

  /// Inserts `jobs` in a transaction that is not a unit of work, such as the completion of another job.
  package static func write(_ jobs: [NewJob], company: UUID, traceID: String?, _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      for statement in statements(jobs, company: company, traceID: traceID) { pipeline.execute(statement) }
    }
  }

  /// Inserts `jobs` and commits the transaction, in one round trip.
  package static func commit(_ jobs: [NewJob], company: UUID, traceID: String?, _ tx: Transaction) throws {
    try tx.commit { pipeline in
      for statement in statements(jobs, company: company, traceID: traceID) { pipeline.execute(statement) }
    }
  }

  /// Enqueues one job in a transaction of its own.
  package static func insert(_ job: NewJob, company: UUID, traceID: String?, _ database: Database)
    async throws
  {
    guard job.uniqueKey == nil, job.runAt == nil else {
      try await database.transaction(.inside(company)) { tx in
        try write([job], company: company, traceID: traceID, tx)
      }
      return
    }
    // One statement, so that enqueueing a single job costs no more than an insert. It sets the company while
    // the row is built, which is before row-level security checks the row.
    try await database.execute(
      """
      insert into core.job_queued (company_id, \(columns))
      select set_config('fettle.company_id', \(company)::text, true)::uuid, \(lane(job, company)), \(job.id), 1,
        \(job.queue), \(job.kind), \(Int16(clamping: job.priority)), \(Int32(clamping: job.maxAttempts)), null,
        \(nullable: job.cause?.type), \(nullable: job.cause?.id), \(nullable: traceID), \(job.payload)
      """
    )
  }

  private static func lane(_ job: NewJob, _ company: UUID) -> UUID {
    Lane(company: company, queue: job.queue, kind: job.kind, priority: job.priority).id
  }

  private static func insert(_ job: NewJob, company: UUID, traceID: String?) -> SQL {
    """
    insert into core.job_queued (company_id, \(columns))
    values (\(company), \(lane(job, company)), \(job.id), 1,
            \(job.queue), \(job.kind), \(Int16(clamping: job.priority)), \(Int32(clamping: job.maxAttempts)), null,
            \(nullable: job.cause?.type), \(nullable: job.cause?.id), \(nullable: traceID), \(job.payload))
    """
  }

  private static func insert(_ jobs: ArraySlice<NewJob>, company: UUID, traceID: String?) -> SQL {
    // Most jobs are of the same lane as the job before.
    var last: (job: NewJob, lane: UUID)?
    let lanes = jobs.map { job in
      if let last, last.job.queue == job.queue, last.job.kind == job.kind, last.job.priority == job.priority {
        return last.lane
      }
      let lane = lane(job, company)
      last = (job, lane)
      return lane
    }
    return """
      insert into core.job_queued (company_id, \(columns))
      select \(company), x.lane, x.id, 1, x.queue, x.kind, x.priority,
        x.max_attempts, null, x.cause_type, x.cause_id, \(nullable: traceID), x.payload::jsonb
      from unnest(
        \(lanes), \(jobs.map(\.id)), \(jobs.map(\.queue)), \(jobs.map(\.kind)), \(jobs.map { Int16(clamping: $0.priority) }),
        \(jobs.map { Int32(clamping: $0.maxAttempts) }), \(jobs.map { $0.cause?.type }), \(jobs.map { $0.cause?.id }),
        \(jobs.map(\.payload.text))
      ) x (lane, id, queue, kind, priority, max_attempts, cause_type, cause_id, payload)
      """
  }

  /// Returns the statement that writes a job with a time or a unique key, unless another job holds the key. A
  /// job with a time is deferred.
  private static func single(_ job: NewJob, company: UUID, traceID: String?) -> SQL {
    let free: SQL =
      if let key = job.uniqueKey {
        """
        insert into core.job_key (company_id, kind, key, job_id, until)
        values (\(company), \(job.kind), \(key), \(job.id),
                clock_timestamp() + make_interval(secs => \(nullable: job.uniqueFor?.seconds)))
        on conflict (company_id, kind, key) do update
        set job_id = excluded.job_id, until = excluded.until, is_ended = false
        where job_key.is_ended and job_key.until <= clock_timestamp()
        returning company_id, job_id
        """
      } else {
        "select \(company)::uuid as company_id, \(job.id)::uuid as job_id"
      }
    let table: SQL = job.runAt == nil ? "core.job_queued" : "core.job_deferred"
    let time: (column: SQL, value: SQL) = job.runAt.map { (", run_at", ", \($0)") } ?? ("", "")
    return """
      with free as (
        \(free)
      )
      insert into \(table) (company_id, \(columns)\(time.column))
      select \(company), core.job_lane(\(company), \(job.queue), \(job.kind), \(Int32(clamping: job.priority))), f.job_id, 1,
        \(job.queue), \(job.kind), \(Int16(clamping: job.priority)), \(Int32(clamping: job.maxAttempts)), \(nullable: job.uniqueKey),
        \(nullable: job.cause?.type), \(nullable: job.cause?.id), \(nullable: traceID), \(job.payload)\(time.value)
      from free f
      where f.company_id = \(company)
      """
  }
}
