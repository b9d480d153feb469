internal import Domain
internal import FoundationEssentials
internal import Postgres

/// Writes the outcome of an attempt, inside the job's company.
enum JobOutcome {
  static func succeeded(_ job: ClaimedJob, worker: UUID, _ tx: Transaction) throws {
    try record(job, worker: worker, outcome: .succeeded, error: nil, tx)
    try freeKey(job, tx)
  }

  /// - Parameter retryAfter: the delay before the next attempt; nil if the job is dead.
  static func failed(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?, _ tx: Transaction)
    throws
  {
    try record(job, worker: worker, outcome: .failed, error: error, tx)
    if let retryAfter {
      try putOff(job, for: retryAfter, attempt: job.attempt, tx)
    } else {
      try conclude(job, as: .dead, tx)
    }
  }

  /// Postpones a job without counting the attempt.
  static func snoozed(_ job: ClaimedJob, worker: UUID, for time: Duration, why: String?, _ tx: Transaction)
    throws
  {
    try record(job, worker: worker, outcome: .snoozed, error: why, tx)
    try putOff(job, for: time, attempt: job.attempt - 1, tx)
  }

  private static func putOff(_ job: ClaimedJob, for time: Duration, attempt: Int, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.job_deferred
        (company_id, id, round, run_at, lane, queue, kind, priority, attempt, max_attempts, is_alone, unique_key,
         created_at, cause_type, cause_id, trace_id, payload)
      select p.company_id, p.id, p.round + 1, clock_timestamp() + make_interval(secs => \(time.seconds)), p.lane,
        p.queue, p.kind, p.priority, \(Int32(clamping: attempt)), p.max_attempts, p.is_alone, p.unique_key, p.created_at,
        p.cause_type, p.cause_id, p.trace_id, p.payload
      from core.job_queued p
      where p.company_id = \(job.company) and p.id = \(job.id) and p.round = \(Int32(clamping: job.round))
      """
    )
  }

  static func cancelled(_ job: ClaimedJob, worker: UUID, _ tx: Transaction) throws {
    try record(job, worker: worker, outcome: .cancelled, error: nil, tx)
    try conclude(job, as: .cancelled, tx)
    try tx.execute(
      """
      delete from core.job_stop
      where company_id = \(job.company) and id = \(job.id) and round = \(Int32(clamping: job.round))
      """
    )
  }

  /// Acknowledges a claim: its jobs without a recorded attempt have succeeded.
  ///
  /// - Parameter hasSuccess: true if any job of the claim succeeded.
  static func acknowledge(_ claim: OpenClaim, hasSuccess: Bool, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.job_ack (company_id, week, lane, no, outcome, has_success)
      values (\(claim.lane.company), \(claim.week), \(claim.lane.id), \(claim.no), 'finished', \(hasSuccess))
      on conflict do nothing
      """
    )
  }

  private static func conclude(_ job: ClaimedJob, as state: JobState, _ tx: Transaction) throws {
    try tx.execute(
      """
      insert into core.job_end
        (company_id, id, round, state, finished_at, lane, queue, kind, priority, attempt, max_attempts, unique_key,
         created_at, cause_type, cause_id, trace_id, payload)
      select p.company_id, p.id, p.round, \(state.rawValue), clock_timestamp(), p.lane, p.queue, p.kind, p.priority,
        p.attempt + 1, p.max_attempts, p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
      from core.job_queued p
      where p.company_id = \(job.company) and p.id = \(job.id) and p.round = \(Int32(clamping: job.round))
      """
    )
    try freeKey(job, tx)
  }

  private static func freeKey(_ job: ClaimedJob, _ tx: Transaction) throws {
    guard let key = job.uniqueKey else { return }
    try tx.execute("select core.free_job_key(\(job.company), \(job.kind), \(key), \(job.id))")
  }

  private static func record(
    _ job: ClaimedJob,
    worker: UUID,
    outcome: AttemptOutcome,
    error: String?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.job_attempt
        (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome, error)
      values (\(job.company), \(job.id), \(Int32(clamping: job.attempt)), \(job.fence), \(worker), \(job.claimedAt),
              clock_timestamp(), \(outcome), \(nullable: error))
      """
    )
  }
}
