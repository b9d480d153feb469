package import FoundationEssentials
internal import Glibc
package import Postgres
internal import Synchronization

/// The queue on posts, claims and settlements, none of which is ever changed: see `core_0018_queue.sql`.
///
/// What crosses companies is done by functions that see all of them and give a worker no more than it has claimed; what
/// comes of a job is written inside its company.
package final class LaneJobQueue: JobQueue {
  /// How many lanes one claim cuts at most.
  private static let lanesAtOnce = 64
  /// How often a claim comes back to lanes that another worker was cutting, a few milliseconds apart.
  private static let busyTries = 50

  private let database: Database
  private let walk = Mutex(Walk())
  private let workers = Mutex<[UUID: OpenClaims]>([:])

  /// The lanes to go through, and up to what moment they are known.
  private struct Walk {
    var lanes = LaneWalk()
    /// As PostgreSQL writes it; nil: all lanes have to be looked through.
    var upto: String?
  }

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
    try await database.execute("select core.post_due_jobs(1000)")
    try await look(queues: Set(queues), kinds: Set(kinds))
    var claimed: [ClaimedJob] = []
    var busy = 0
    while claimed.count < limit, busy < Self.busyTries {
      let lanes = walk.withLock { $0.lanes.next(min(limit - claimed.count, Self.lanesAtOnce)) }
      guard !lanes.isEmpty else { break }
      let rows = try await cut(
        lanes,
        worker: worker,
        queues: queues,
        limit: limit - claimed.count,
        lease: lease
      )
      let jobs = rows.compactMap(\.job)
      let empty = Set(rows.filter { $0.job == nil }.map(\.lane))
      walk.withLock { walk in
        for lane in lanes where empty.contains(lane.id) { walk.lanes.remove(lane) }
      }
      claimed += jobs
      guard jobs.isEmpty, empty.isEmpty else { continue }
      busy += 1
      try await Task.sleep(for: .milliseconds(2))
    }
    return claimed
  }

  /// Cuts a batch, and registers the worker if it is not, or was taken for lost.
  private func cut(
    _ lanes: [Lane],
    worker: UUID,
    queues: [String],
    limit: Int,
    lease: Duration
  ) async throws -> [ClaimRow] {
    let batch = workers.withLock { $0[worker, default: OpenClaims()].nextBatch() }
    let each = max(1, limit / lanes.count)
    let statement: SQL = """
      select c.company_id, c.lane, c.no, c.week, c.id, c.round, c.queue, c.kind, c.attempt, c.max_attempts, c.unique_key,
        c.cause_type, c.cause_id, c.trace_id, c.payload, c.claimed_at,
        \(batch)::bigint
      from core.claim_jobs(\(worker), \(batch), \(lanes.map(\.company)), \(lanes.map(\.id)), \(Int32(each))) c
      """
    let rows: [ClaimRow]
    do {
      rows = try await answer(to: statement, worker, batch)
    } catch let error as PostgresError where error.sqlState?.rawValue == "FT010" {
      try await WorkerRegister.add(worker, queues: queues, lease: lease, database)
      rows = try await answer(to: statement, worker, batch)
    }
    let jobs = rows.compactMap(\.job)
    workers.withLock { $0[worker]?.add(jobs, batch: batch) }
    return rows
  }

  /// Sends a claim. Where no answer comes, it may have been committed: heartbeats look for it and give it back.
  private func answer(to claim: SQL, _ worker: UUID, _ batch: Int64) async throws -> [ClaimRow] {
    do {
      return try await database.rows(claim, as: ClaimRow.self)
    } catch {
      if (error as? PostgresError)?.sqlState == nil {
        workers.withLock { $0[worker]?.loseAnswer(batch) }
      }
      throw error
    }
  }

  /// Adds the lanes that got jobs since the last look.
  private func look(queues: Set<String>, kinds: Set<String>) async throws {
    let since = walk.withLock(\.upto)
    let rows = try await database.rows(
      since.map { "select * from core.arrived_jobs(\($0)::pg_snapshot)" as SQL }
        ?? "select * from core.lanes_with_jobs()",
      as: ArrivedLane.self
    )
    walk.withLock { walk in
      walk.upto = rows.compactMap(\.upto).first ?? walk.upto
      walk.lanes.add(rows.compactMap(\.lane).filter { queues.contains($0.queue) && kinds.contains($0.kind) })
    }
  }

  package func complete(
    _ job: ClaimedJob,
    worker: UUID,
    effects: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    try await end(job, worker: worker, mode: .engine) { tx in
      try effects(tx)
      try JobOutcome.succeeded(job, worker: worker, tx)
    }
  }

  package func fail(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?) async throws
    -> Bool
  {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.failed(job, worker: worker, error: error, retryAfter: retryAfter, tx)
    }
  }

  /// Writes what came of a job, if its claim holds, and settles the claim with its last one.
  private func end(
    _ job: ClaimedJob,
    worker: UUID,
    mode: WriteMode?,
    _ write: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    let isLast = workers.withLock { $0[worker]?.isLast(job) ?? false }
    var options = TransactionOptions.inside(job.company, mode: mode)
    options.retries = 5
    let isDone = try await database.transaction(options) { tx in
      guard try tx.value("select core.holds_claim(\(job.lane), \(job.fence), \(worker))", as: Bool.self)
      else {
        try tx.rollback()
        return false
      }
      try write(tx)
      if isLast { try JobOutcome.settle(job.slice, week: job.week, tx) }
      return true
    }
    guard isDone else {
      workers.withLock { $0[worker]?.forget(job.slice) }
      return false
    }
    if workers.withLock({ $0[worker]?.finish(job, settled: isLast) ?? false }) {
      try await settle(job.slice, week: job.week, worker: worker)
    }
    return true
  }

  private func settle(_ key: ClaimKey, week: CalendarDate, worker: UUID) async throws {
    try await database.transaction(.inside(key.company)) { tx in try JobOutcome.settle(key, week: week, tx) }
    workers.withLock { $0[worker]?.forget(key) }
  }

  package func release(_ jobs: [ClaimedJob], worker: UUID) async throws {
    for key in Set(jobs.map(\.slice)) {
      try await giveUp(key, worker: worker, lost: false, error: nil)
    }
  }

  private func giveUp(_ key: ClaimKey, worker: UUID, lost: Bool, error: String?) async throws {
    _ = try await database.value(
      "select core.end_claim(\(key.company), \(key.lane), \(key.no), \(worker), \(lost), \(nullable: error))",
      as: Int.self
    )
    workers.withLock { $0[worker]?.forget(key) }
  }

  package func heartbeat(worker: UUID, holding jobs: [ClaimedJob], lease: Duration) async throws
    -> Set<ClaimedJob.Claim>
  {
    let open = workers.withLock { $0[worker]?.oldestBatch ?? 1 }
    let oldest = jobs.map(\.batch).reduce(open, min)
    let lost = Set(
      try await database.rows(
        "select l.company_id, l.lane, l.no from core.lost_claims(\(worker), \(oldest)) l",
        as: ClaimKey.self
      )
    )
    for key in lost { workers.withLock { $0[worker]?.forget(key) } }
    try await WorkerRegister.renew(worker, lease: lease, oldestBatch: oldest, database)
    let kept = Set(jobs.filter { !lost.contains($0.slice) }.map(\.claim))
    for key in workers.withLock({ $0[worker]?.unsettled ?? [] }) {
      guard let week = workers.withLock({ $0[worker]?.week(of: key) }) else { continue }
      try await settle(key, week: week, worker: worker)
    }
    for key in workers.withLock({ $0[worker]?.abandoned(except: kept) ?? [] }) {
      try await giveUp(key, worker: worker, lost: true, error: "its outcome could not be written down")
    }
    let unanswered = workers.withLock { $0[worker]?.unansweredBatches() ?? [] }
    if !unanswered.isEmpty {
      let unknown = try await database.rows(
        "select o.company_id, o.lane, o.no from core.open_claims(\(worker), \(unanswered)) o",
        as: ClaimKey.self
      )
      for key in unknown { try await giveUp(key, worker: worker, lost: false, error: nil) }
    }
    return kept
  }

  package func rescue() async throws -> Int {
    let freed = try await database.value(
      "select core.rescue_jobs('its worker stopped answering')",
      as: Int.self
    )
    // What the lost worker had not got to yet was never announced to this one.
    if freed > 0 { walk.withLock { $0.upto = nil } }
    return freed
  }
}

extension ClaimKey: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    lane = try row.next()
    no = try row.next()
  }
}

/// A lane that got jobs, or, in one row of its own, the snapshot up to which was looked.
private struct ArrivedLane: RowDecodable, Sendable {
  let lane: Lane?
  let upto: String?

  init(row: inout RowReader) throws(PostgresError) {
    let company: UUID? = try row.next()
    let id: UUID? = try row.next()
    let queue: String? = try row.next()
    let kind: String? = try row.next()
    let priority: Int16? = try row.next()
    upto = try row.next()
    guard let company, let id, let queue, let kind, let priority else {
      lane = nil
      return
    }
    lane = Lane(company: company, id: id, queue: queue, kind: kind, priority: Int(priority))
  }
}
