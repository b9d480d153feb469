package import FoundationEssentials
package import Postgres

/// A job to be enqueued in the transaction of its cause.
package struct NewJob: Sendable {
  /// Chosen by the caller, so that effects outside the database can carry it as an idempotency key.
  package let id: UUID
  /// Which handler runs it, such as `notify.send`.
  package let kind: String
  /// The queue that workers subscribe to.
  package let queue: String
  /// 1 to 4; lower runs first.
  package let priority: Int
  /// When it may run at the earliest; nil: at once.
  package let runAt: Timestamp?
  /// After how many failed attempts it is dead.
  package let maxAttempts: Int
  /// Ids and names, not rights: the job re-enters the company and reads again.
  package let payload: JSON
  /// The record whose change caused it.
  package let cause: (type: String, id: UUID)?
  /// While a job of the kind and key waits or runs in the company, another one is not enqueued; nil: no such limit.
  package let uniqueKey: String?

  package init(
    id: UUID,
    kind: String,
    queue: String = "default",
    priority: Int = 2,
    runAt: Timestamp? = nil,
    maxAttempts: Int = 5,
    payload: JSON,
    cause: (type: String, id: UUID)? = nil,
    uniqueKey: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.queue = queue
    self.priority = priority
    self.runAt = runAt
    self.maxAttempts = maxAttempts
    self.payload = payload
    self.cause = cause
    self.uniqueKey = uniqueKey
  }
}

/// The outbox: jobs written in the transaction that causes them, so that neither is without the other.
package enum JobOutbox {
  /// The statements that enqueue `jobs`, as part of a unit of work.
  static func statements(_ jobs: [NewJob], company: UUID, traceID: String?) -> [SQL] {
    guard !jobs.isEmpty else { return [] }
    let plain = jobs.filter { $0.uniqueKey == nil }
    let unique = jobs.filter { $0.uniqueKey != nil }.map {
      self.unique($0, company: company, traceID: traceID)
    }
    guard plain.count > Changes.few else {
      return unique
        + plain.flatMap {
          [control($0, company: company), payload($0, company: company, traceID: traceID)]
        }
    }
    return unique
      + plain.chunked().flatMap {
        [controls($0, company: company), payloads($0, company: company, traceID: traceID)]
      }
  }

  /// Inserts `jobs` in a transaction that is not a unit of work, such as the completion of another job.
  package static func write(_ jobs: [NewJob], company: UUID, traceID: String?, _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      for statement in statements(jobs, company: company, traceID: traceID) { pipeline.execute(statement) }
    }
  }

  /// Both rows, or neither when such a job waits or runs.
  private static func unique(_ job: NewJob, company: UUID, traceID: String?) -> SQL {
    """
    with control as (
      insert into core.job
        (company_id, id, queue, kind, state, priority, run_at, attempt, max_attempts, fence, unique_key)
      values (\(company), \(job.id), \(job.queue), \(job.kind), 'queued', \(Int16(job.priority)),
              coalesce(\(nullable: job.runAt), now()), 0, \(Int32(job.maxAttempts)), 0, \(nullable: job.uniqueKey))
      on conflict (company_id, kind, unique_key)
        where unique_key is not null and state in ('queued', 'retrying', 'running')
        do nothing
      returning company_id, id
    )
    insert into core.job_payload (company_id, job_id, payload, cause_type, cause_id, trace_id)
    select c.company_id, c.id, \(job.payload), \(nullable: job.cause?.type), \(nullable: job.cause?.id), \(nullable: traceID)
    from control c
    where c.company_id = \(company)
    """
  }

  private static func control(_ job: NewJob, company: UUID) -> SQL {
    """
    insert into core.job (company_id, id, queue, kind, state, priority, run_at, attempt, max_attempts, fence)
    values (\(company), \(job.id), \(job.queue), \(job.kind), 'queued', \(Int16(job.priority)),
            coalesce(\(nullable: job.runAt), now()), 0, \(Int32(job.maxAttempts)), 0)
    """
  }

  private static func payload(_ job: NewJob, company: UUID, traceID: String?) -> SQL {
    """
    insert into core.job_payload (company_id, job_id, payload, cause_type, cause_id, trace_id)
    values (\(company), \(job.id), \(job.payload), \(nullable: job.cause?.type), \(nullable: job.cause?.id), \(nullable: traceID))
    """
  }

  private static func controls(_ jobs: ArraySlice<NewJob>, company: UUID) -> SQL {
    """
    insert into core.job (company_id, id, queue, kind, state, priority, run_at, attempt, max_attempts, fence)
    select \(company), x.id, x.queue, x.kind, 'queued', x.priority, coalesce(x.run_at, now()), 0, x.max_attempts, 0
    from unnest(
      \(jobs.map(\.id)), \(jobs.map(\.queue)), \(jobs.map(\.kind)), \(jobs.map { Int16($0.priority) }),
      \(jobs.map(\.runAt)), \(jobs.map { Int32($0.maxAttempts) })
    ) x (id, queue, kind, priority, run_at, max_attempts)
    """
  }

  private static func payloads(_ jobs: ArraySlice<NewJob>, company: UUID, traceID: String?) -> SQL {
    """
    insert into core.job_payload (company_id, job_id, payload, cause_type, cause_id, trace_id)
    select \(company), x.id, x.payload::jsonb, x.cause_type, x.cause_id, \(nullable: traceID)
    from unnest(
      \(jobs.map(\.id)), \(jobs.map(\.payload.text)), \(jobs.map { $0.cause?.type }), \(jobs.map { $0.cause?.id })
    ) x (id, payload, cause_type, cause_id)
    """
  }
}
