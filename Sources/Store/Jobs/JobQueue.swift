package import FoundationEssentials
package import Postgres
internal import Synchronization

/// Where workers take jobs from and hand them back: posts, claims and settlements, none of which is ever changed; see
/// `core_0018_queue.sql`.
///
/// A claim gives a lease and a fence. What a job writes is committed with its success and only while the claim holds, so
/// a worker that lost its lease commits nothing. Times are the database's: a worker's own clock is never asked.
///
/// What crosses companies is done by functions that see all of them and give a worker no more than it has claimed; what
/// comes of a job is written inside its company.
package final class JobQueue: Sendable {
  /// How many lanes one claim cuts at most.
  private static let mostLanes = 256
  /// How many it cuts at least, if there are so many, so that a company with a long lane does not keep the others waiting.
  private static let fewestLanes = 8
  /// How many claims are settled at once.
  private static let claimsAtOnce = 1_000

  let database: Database
  private let walk: Mutex<Walk>
  private let workers = Mutex<[UUID: OpenClaims]>([:])
  private let keeper: LimitKeeper
  /// Lanes that rest, or whose limits are reached, until one looks again.
  private let aside = Mutex<[Lane]>([])

  /// The lanes to go through, and up to what moment they are known.
  private struct Walk {
    var lanes: LaneWalk
    /// As PostgreSQL writes it; nil: all lanes have to be looked through.
    var upto: String?
    /// How many lanes a claim cuts: fewer where they are long, since a slice costs as much as some ten jobs.
    var lanesAtOnce = 32
  }

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - weights: of queues, as their shares of a busy worker; 1 for those not named.
  package init(_ database: Database, weights: [String: Int] = [:]) {
    self.database = database
    keeper = LimitKeeper(database)
    walk = Mutex(Walk(lanes: LaneWalk(weights: weights)))
  }

  // MARK: Taking

  /// What a claim gave.
  package struct Taken: Sendable {
    package let jobs: [ClaimedJob]
    /// Whether another claim may give more.
    package let hasMore: Bool
    /// Whether other workers were claiming from all those lanes: another claim may give more in a moment.
    package let isBusy: Bool
  }

  /// Looks for lanes that have got jobs, and posts those whose time has come.
  ///
  /// - Parameter posts: whether to post jobs that are due, which need not be done at every look.
  /// - Returns: how many lanes have got jobs that had none, and whether another look may find more at once.
  @discardableResult
  package func look(queues: Set<String>, kinds: Set<String>, posts: Bool = true) async throws
    -> (new: Int, again: Bool)
  {
    let due = 1_000
    let posted = posts ? try await database.value("select core.post_due_jobs(\(Int32(due)))", as: Int.self) : 0
    let since = walk.withLock(\.upto)
    let rows = try await database.rows(
      since.map { "select * from core.arrived_jobs(\($0)::pg_snapshot)" as SQL }
        ?? "select * from core.lanes_with_jobs()",
      as: ArrivedLane.self
    )
    let new = walk.withLock { walk in
      walk.upto = rows.compactMap(\.upto).first ?? walk.upto
      return walk.lanes.add(
        rows.compactMap(\.lane).filter { queues.contains($0.queue) && kinds.contains($0.kind) }
      )
    }
    return (new, posted == due)
  }

  /// Forgets what is known of lanes, so that the next look goes through all of them.
  package func forgetLanes() { walk.withLock { $0.upto = nil } }

  /// Adds lanes of which somebody has told.
  package func add(_ lanes: [Lane]) { walk.withLock { _ = $0.lanes.add(lanes) } }

  /// Whether there are lanes that may have jobs.
  package var hasLanes: Bool { walk.withLock { !$0.lanes.isEmpty } }

  /// Takes jobs of the lanes whose turn it is, about `limit`, and no fewer than one of a lane.
  ///
  /// A worker that is not registered, or was taken for lost, is registered with this lease.
  ///
  package func take(worker: UUID, queues: [String], limit: Int, lease: Duration) async throws -> Taken {
    let chosen = walk.withLock { $0.lanes.next(min(limit, $0.lanesAtOnce)) }
    guard !chosen.isEmpty else { return Taken(jobs: [], hasMore: false, isBusy: false) }
    var lanes = chosen
    let answer: ClaimAnswer
    do {
      let each = try await allow(&lanes, limit: limit, worker: worker)
      guard !lanes.isEmpty else { return Taken(jobs: [], hasMore: hasLanes, isBusy: false) }
      answer = try await cut(lanes, each, worker: worker, queues: queues, lease: lease)
      if !keeper.isFree { try await count(answer, lanes, each) }
    } catch {
      walk.withLock { walk in for lane in lanes { walk.lanes.put(lane, hasMore: true) } }
      throw error
    }
    let hasMore = walk.withLock { walk in
      for lane in lanes { walk.lanes.put(lane, hasMore: !answer.empty.contains(lane)) }
      if lanes.count >= walk.lanesAtOnce {
        if answer.jobs.count * 10 >= limit * 9 {
          walk.lanesAtOnce = max(Self.fewestLanes, walk.lanesAtOnce * 3 / 4)
        } else if answer.jobs.count * 2 < limit {
          walk.lanesAtOnce = min(Self.mostLanes, walk.lanesAtOnce * 2)
        }
      }
      return !walk.lanes.isEmpty
    }
    return Taken(jobs: answer.jobs, hasMore: hasMore, isBusy: answer.busy.count == lanes.count)
  }

  /// Cuts a batch, and registers the worker if it is not, or was taken for lost.
  private func cut(_ lanes: [Lane], _ each: [Int32], worker: UUID, queues: [String], lease: Duration) async throws
    -> ClaimAnswer
  {
    for isLastTry in [false, true] {
      let batch = workers.withLock { $0[worker, default: OpenClaims()].nextBatch() }
      let statement: SQL = """
        select c.place, c.no, c.week, c.claimed_at, c.ends_lane, c.id, c.round, c.attempt, c.max_attempts, c.payload,
          c.unique_key, c.cause_type, c.cause_id, c.trace_id
        from core.claim_jobs(\(worker), \(batch), \(lanes.map(\.company)), \(lanes.map(\.id)),
          \(each)) c
        """
      do {
        let rows = try await database.rows(statement, as: ClaimRow.self)
        let answer = ClaimAnswer(rows, lanes: lanes, batch: batch)
        workers.withLock { $0[worker]?.answer(batch, answer.claims) }
        return answer
      } catch {
        guard let state = (error as? PostgresError)?.sqlState else {
          // It may have been committed: heartbeats look for it and give it back.
          workers.withLock { $0[worker]?.loseAnswer(batch) }
          throw error
        }
        workers.withLock { $0[worker]?.answer(batch, []) }
        guard !isLastTry, state.rawValue == "FT010" else { throw error }
        // What it had was taken from it, if it had been registered before.
        for claim in workers.withLock({ $0[worker]?.forgetAll() ?? [] }) { claim.lose() }
        keeper.forget()
        try await WorkerRegister.add(worker, queues: queues, lease: lease, database)
      }
    }
    return ClaimAnswer([], lanes: lanes, batch: 0)
  }

  // MARK: Limits

  /// Reads what rests and what is limited; lanes that were set aside are looked at again.
  package func loadRules() async throws {
    if try await keeper.reload() { returnAside() }
  }

  /// Has lanes that were set aside looked at again: their limits may have room by now.
  package func returnAside() {
    let lanes = aside.withLock { lanes in
      defer { lanes = [] }
      return lanes
    }
    walk.withLock { walk in for lane in lanes { walk.lanes.put(lane, hasMore: true) } }
  }

  /// How many jobs of each lane may be claimed; lanes of which none may are set aside.
  private func allow(_ lanes: inout [Lane], limit: Int, worker: UUID) async throws -> [Int32] {
    let share = max(1, limit / lanes.count)
    guard !keeper.isFree else { return lanes.map { _ in Int32(share) } }
    var allowed: [(lane: Lane, each: Int)] = []
    for lane in lanes {
      let each = keeper.isPaused(lane) ? 0 : try await keeper.allow(share, of: lane, worker: worker)
      if each > 0 { allowed.append((lane, each)) } else { aside.withLock { $0.append(lane) } }
    }
    lanes = allowed.map(\.lane)
    return allowed.map { Int32($0.each) }
  }

  /// Has the jobs that were claimed count towards their limits.
  private func count(_ answer: ClaimAnswer, _ lanes: [Lane], _ each: [Int32]) async throws {
    var claimed: [Lane: Int] = [:]
    for claim in answer.claims {
      claim.limits = keeper.keys(claim.lane)
      claimed[claim.lane, default: 0] += claim.size
    }
    for (lane, allowed) in zip(lanes, each) {
      try await keeper.claimed(claimed[lane] ?? 0, of: Int(allowed), lane)
    }
  }

  /// Notes that a job counts towards its limits no more.
  private func uncount(_ claim: OpenClaim, _ jobs: Int = 1) {
    guard !claim.limits.isEmpty else { return }
    keeper.release(claim.limits, jobs)
    returnAside()
  }

  // MARK: Ending

  /// Notes that a job without effects succeeded; ``settle(worker:)`` commits it with the others of its claim.
  ///
  /// - Returns: whether there is a claim to be settled now.
  package func finish(_ job: ClaimedJob, worker: UUID) -> Bool {
    let isLast = job.slice.end(job.position, isWritten: false)
    uncount(job.slice)
    guard isLast else { return false }
    workers.withLock { $0[worker]?.end(job.slice) }
    return true
  }

  /// Commits the end of all claims whose jobs are done.
  ///
  /// - Returns: how many were not the worker's any more: their jobs run elsewhere too.
  @discardableResult
  package func settle(worker: UUID) async throws -> Int {
    var lost = 0
    while true {
      let claims = workers.withLock { $0[worker]?.takeEnded(Self.claimsAtOnce) ?? [] }
      guard !claims.isEmpty else { return lost }
      do {
        let gone = try await database.rows(
          """
          select l.company_id, l.lane, l.no
          from core.settle_claims(\(worker), \(claims.map(\.week)), \(claims.map(\.lane.company)),
            \(claims.map(\.lane.id)), \(claims.map(\.no))) l
          """,
          as: ClaimKey.self
        )
        lost += gone.count
        workers.withLock { $0[worker]?.forget(claims) }
      } catch {
        workers.withLock { workers in for claim in claims { workers[worker]?.end(claim) } }
        throw error
      }
    }
  }

  /// Commits the job's effects and its success together.
  ///
  /// - Returns: false, and nothing is written, when the lease was lost.
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

  /// Records a failed attempt: another one after `retryAfter`, or dead when that is nil.
  package func fail(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?) async throws -> Bool {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.failed(job, worker: worker, error: error, retryAfter: retryAfter, tx)
    }
  }

  /// Puts a job off without counting the attempt.
  package func snooze(_ job: ClaimedJob, worker: UUID, for time: Duration, why: String?) async throws -> Bool {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.snoozed(job, worker: worker, for: time, why: why, tx)
    }
  }

  /// Records that a job was ended because somebody cancelled it.
  package func cancel(_ job: ClaimedJob, worker: UUID) async throws -> Bool {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.cancelled(job, worker: worker, tx)
    }
  }

  /// Writes what came of a job, if its claim holds, and settles the claim with its last one.
  private func end(
    _ job: ClaimedJob,
    worker: UUID,
    mode: WriteMode?,
    _ write: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    let slice = job.slice
    let isLast = slice.isLast(job.position)
    var options = TransactionOptions.inside(job.company, mode: mode)
    options.retries = 5
    let isWritten = try await database.transaction(options) { tx in
      guard try tx.value("select core.holds_claim(\(job.lane), \(job.fence), \(worker), \(job.id), \(Int32(job.round)))", as: Bool.self)
      else {
        try tx.rollback()
        return false
      }
      try write(tx)
      if isLast { try JobOutcome.settle(slice, tx) }
      return true
    }
    guard isWritten else {
      lose([slice], worker)
      return false
    }
    let isDone = slice.end(job.position, isWritten: true)
    uncount(slice)
    guard isDone else { return true }
    workers.withLock { isLast ? $0[worker]?.forget(slice.key) : $0[worker]?.end(slice) }
    return true
  }

  private func lose(_ claims: [OpenClaim], _ worker: UUID) {
    for claim in claims {
      uncount(claim, claim.openCount)
      claim.lose()
      workers.withLock { $0[worker]?.forget(claim.key) }
    }
  }

  /// Notes that nobody is at a job any more though its outcome could not be written: heartbeats give it back.
  package func abandon(_ job: ClaimedJob) {
    job.slice.giveUp(job.position)
    uncount(job.slice)
  }

  /// Hands jobs back that were not begun or not finished, without counting the attempt.
  package func release(_ jobs: [ClaimedJob], worker: UUID) async throws {
    var slices: [ClaimKey: [ClaimedJob]] = [:]
    for job in jobs where !job.isLost { slices[job.slice.key, default: []].append(job) }
    for (key, jobs) in slices {
      try await database.execute(
        "select core.hand_back(\(key.company), \(key.lane), \(key.no), \(worker), \(jobs.map(\.id)))"
      )
      uncount(jobs[0].slice, jobs.count)
      for job in jobs where job.slice.end(job.position, isWritten: true) {
        workers.withLock { $0[worker]?.end(job.slice) }
      }
    }
    try await settle(worker: worker)
  }

  // MARK: Living

  /// Says that the worker lives, which lengthens its lease, and tidies what its claims left: those that were taken from
  /// it are marked as lost, those that could not be settled are, and what is done of a long one is written down.
  package func heartbeat(worker: UUID, lease: Duration) async throws {
    let oldest = workers.withLock { $0[worker]?.oldestBatch ?? 1 }
    let lost = try await database.rows(
      "select l.company_id, l.lane, l.no from core.lost_claims(\(worker), \(oldest)) l",
      as: ClaimKey.self
    )
    lose(workers.withLock { $0[worker]?.find(lost) ?? [] }, worker)
    try await WorkerRegister.renew(worker, lease: lease, oldestBatch: oldest, database)
    for claim in workers.withLock({ $0[worker]?.all ?? [] }) { try await tidy(claim, worker) }
    try await keeper.trim(worker: worker)
    try await loadRules()
    try await settle(worker: worker)
    let unanswered = workers.withLock { $0[worker]?.unansweredBatches() ?? [] }
    guard !unanswered.isEmpty else { return }
    let unknown = try await database.rows(
      "select o.company_id, o.lane, o.no from core.open_claims(\(worker), \(unanswered)) o",
      as: ClaimKey.self
    )
    for key in unknown { try await endClaim(key, worker: worker, isLost: false, error: nil, done: []) }
  }

  private func tidy(_ claim: OpenClaim, _ worker: UUID) async throws {
    let done = claim.unwritten
    if claim.isGivenUp {
      let why = "its outcome could not be written down"
      guard claim.isIdle else { return }
      try await endClaim(claim.key, worker: worker, isLost: true, error: why, done: done)
      workers.withLock { $0[worker]?.forget(claim.key) }
    } else if !done.isEmpty, !claim.isIdle, claim.isOld {
      let holds = try await database.value(
        """
        select core.write_down_done(\(claim.lane.company), \(claim.lane.id), \(claim.no), \(worker), \(done))
        """,
        as: Bool.self
      )
      if holds { claim.markWritten(done) } else { lose([claim], worker) }
    }
  }

  private func endClaim(_ key: ClaimKey, worker: UUID, isLost: Bool, error: String?, done: [UUID]) async throws {
    _ = try await database.value(
      """
      select core.end_claim(\(key.company), \(key.lane), \(key.no), \(worker), \(isLost), \(nullable: error), \(done))
      """,
      as: Int.self
    )
  }

  /// The jobs of a worker that somebody cancelled, by id and post.
  package func stopped(worker: UUID) async throws -> [(id: UUID, round: Int)] {
    try await database.rows(
      "select t.id, t.round from core.stopped_jobs(\(worker)) t",
      UUID.self,
      Int.self
    ).map { ($0, $1) }
  }

  /// Frees the jobs of workers whose lease ran out: they run elsewhere, or are dead after their last attempt.
  ///
  /// - Returns: how many were freed.
  package func rescue() async throws -> Int {
    let freed = try await database.value(
      "select core.rescue_jobs('its worker stopped answering')",
      as: Int.self
    )
    // What the lost worker had not got to yet was never announced to this one.
    if freed > 0 { forgetLanes() }
    return freed
  }
}
