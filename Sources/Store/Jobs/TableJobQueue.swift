package import FoundationEssentials
package import Postgres

/// The queue on one control table, claimed with SKIP LOCKED.
///
/// Control rows hold ids only and may be seen by workers across companies; payloads and attempts are read and
/// written inside the company.
package struct TableJobQueue: JobQueue {
  private let database: Database

  /// - Parameter database: connected as `fettle_worker`.
  package init(_ database: Database) {
    self.database = database
  }

  package func claim(
    worker: UUID,
    queues: [String],
    kinds: [String],
    limit: Int,
    lease: Duration
  ) async throws -> [ClaimedJob] {
    try await database.rows(
      """
      with due as (
        select j.company_id, j.id
        from core.job j
        where j.state in ('queued', 'retrying')
          and j.run_at <= now()
          and j.queue = any (\(queues))
          and j.kind = any (\(kinds))
        order by j.priority, j.run_at
        limit \(limit)
        for no key update skip locked
      )
      update core.job j
      set state = 'running', attempt = j.attempt + 1, fence = j.fence + 1, worker_id = \(worker),
          lease_until = clock_timestamp() + make_interval(secs => \(lease.seconds))
      from due
      where j.company_id = due.company_id and j.id = due.id
      returning j.company_id, j.id, j.kind, j.queue, j.attempt, j.max_attempts, j.fence, clock_timestamp()
      """,
      as: ClaimedJob.self
    )
  }

  package func payload(of job: ClaimedJob) async throws -> JobPayload? {
    try await database.transaction(.inside(job.company, readOnly: true)) { tx in
      try tx.first(
        """
        select p.payload, p.cause_type, p.cause_id, p.trace_id
        from core.job_payload p
        where p.company_id = \(job.company) and p.job_id = \(job.id)
        """,
        as: JobPayload.self
      )
    }
  }

  package func complete(
    _ job: ClaimedJob,
    worker: UUID,
    effects: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    try await database.transaction(Self.writing(job.company, mode: .engine)) { tx in
      guard try Self.holds(job, worker: worker, tx) else {
        try tx.rollback()
        return false
      }
      try effects(tx)
      try Self.finish(job, state: "succeeded", retryAfter: nil, tx)
      try Self.record(job, worker: worker, outcome: "succeeded", error: nil, tx)
      return true
    }
  }

  package func fail(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?) async throws
    -> Bool
  {
    try await database.transaction(Self.writing(job.company)) { tx in
      guard try Self.holds(job, worker: worker, tx) else {
        try tx.rollback()
        return false
      }
      try Self.finish(job, state: retryAfter == nil ? "dead" : "retrying", retryAfter: retryAfter, tx)
      try Self.record(job, worker: worker, outcome: "failed", error: error, tx)
      return true
    }
  }

  package func release(_ jobs: [ClaimedJob], worker: UUID) async throws {
    for job in jobs {
      try await database.transaction(Self.writing(job.company)) { tx in
        try tx.execute(
          """
          update core.job
          set state = case when attempt > 1 then 'retrying' else 'queued' end,
              attempt = attempt - 1, worker_id = null, lease_until = null
          where company_id = \(job.company) and id = \(job.id) and fence = \(job.fence) and state = 'running'
          """
        )
      }
    }
  }

  package func heartbeat(worker: UUID, holding jobs: [ClaimedJob], lease: Duration) async throws
    -> Set<ClaimedJob.Claim>
  {
    let companies = jobs.map(\.company)
    let ids = jobs.map(\.id)
    let fences = jobs.map(\.fence)
    let held = try await database.rows(
      """
      update core.job j
      set lease_until = clock_timestamp() + make_interval(secs => \(lease.seconds))
      from unnest(\(companies), \(ids), \(fences)) h (company_id, id, fence)
      where j.company_id = h.company_id and j.id = h.id and j.fence = h.fence
        and j.state = 'running' and j.worker_id = \(worker)
      returning j.id, j.fence
      """,
      UUID.self,
      Int64.self
    )
    try await database.execute(
      "update core.worker set heartbeat_at = clock_timestamp() where id = \(worker)"
    )
    return Set(held.map(ClaimedJob.Claim.init))
  }

  package func rescue() async throws -> Int {
    let expired = try await database.rows(
      """
      select j.company_id, j.id, j.kind, j.queue, j.attempt, j.max_attempts, j.fence, j.lease_until, j.worker_id
      from core.job j
      where j.state = 'running' and j.lease_until < clock_timestamp()
      order by j.lease_until
      limit 1000
      """,
      as: ExpiredJob.self
    )
    var freed = 0
    for lost in expired {
      let job = lost.job
      let dead = job.attempt >= job.maxAttempts
      freed += try await database.transaction(Self.writing(job.company)) { tx in
        // The fence and the state are asked again: another worker may have rescued it meanwhile.
        let changed = try tx.execute(
          """
          update core.job
          set state = \(dead ? "dead" : "retrying"), run_at = now(), lease_until = null,
              finished_at = case when \(dead) then now() end
          where company_id = \(job.company) and id = \(job.id) and fence = \(job.fence)
            and state = 'running' and lease_until < clock_timestamp()
          """
        )
        guard changed == 1 else { return 0 }
        try Self.record(
          job,
          worker: lost.worker,
          outcome: "lost",
          error: "its worker stopped answering",
          tx
        )
        return 1
      }
    }
    return freed
  }

  /// A transaction that is tried again after a deadlock: the work of the job has been done already.
  ///
  /// - Parameter mode: effects may write records; the rest writes none.
  private static func writing(_ company: UUID, mode: WriteMode? = nil) -> TransactionOptions {
    var options = TransactionOptions.inside(company, mode: mode)
    options.retries = 5
    return options
  }

  private static func holds(_ job: ClaimedJob, worker: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value(
      """
      select true from core.job
      where company_id = \(job.company) and id = \(job.id) and fence = \(job.fence)
        and state = 'running' and worker_id = \(worker)
      for no key update
      """,
      as: Bool?.self
    ) == true
  }

  private static func finish(
    _ job: ClaimedJob,
    state: String,
    retryAfter: Duration?,
    _ tx: Transaction
  ) throws {
    let over = retryAfter == nil
    try tx.execute(
      """
      update core.job
      set state = \(state), lease_until = null,
          run_at = case when \(over) then run_at else now() + make_interval(secs => \(retryAfter?.seconds ?? 0)) end,
          finished_at = case when \(over) then now() end
      where company_id = \(job.company) and id = \(job.id)
      """
    )
  }

  private static func record(
    _ job: ClaimedJob,
    worker: UUID?,
    outcome: String,
    error: String?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.job_attempt
        (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
      values (\(job.company), \(job.id), \(Int32(job.attempt)), \(job.fence), \(nullable: worker), \(job.claimedAt),
              clock_timestamp(), \(outcome),
              \(nullable: error))
      """
    )
  }
}

/// A job whose worker has not been heard of in time.
private struct ExpiredJob: RowDecodable, Sendable {
  /// When it was claimed is not kept; the end of the lease stands for it.
  let job: ClaimedJob
  let worker: UUID?

  init(row: inout RowReader) throws(PostgresError) {
    job = try ClaimedJob(row: &row)
    worker = try row.next()
  }
}
