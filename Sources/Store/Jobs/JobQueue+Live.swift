package import FoundationEssentials
internal import Postgres
internal import Synchronization

extension JobQueue {
  /// Renews the worker's lease and cleans up its claims.
  ///
  /// Marks claims that were taken from the worker as lost, acknowledges finished claims, records the finished
  /// jobs of claims that have been open for more than a second, and ends claims whose answer was lost. Then
  /// it returns unused tokens and reads pauses and limits.
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
    try await acknowledge(worker: worker)
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
      let why = "its outcome could not be written"
      guard claim.isIdle else { return }
      try await endClaim(claim.key, worker: worker, isLost: true, error: why, done: done)
      workers.withLock { $0[worker]?.forget(claim.key) }
    } else if !done.isEmpty, !claim.isIdle, claim.isOld {
      let holds = try await database.value(
        """
        select core.record_done(\(claim.lane.company), \(claim.lane.id), \(claim.no), \(worker), \(done))
        """,
        as: Bool.self
      )
      if holds { claim.markWritten(done) } else { lose([claim], worker) }
    }
  }

  private func endClaim(_ key: ClaimKey, worker: UUID, isLost: Bool, error: String?, done: [UUID])
    async throws
  {
    _ = try await database.value(
      """
      select core.end_claim(\(key.company), \(key.lane), \(key.no), \(worker), \(isLost), \(nullable: error), \(done))
      """,
      as: Int.self
    )
  }

  /// Returns the cancelled jobs that a worker has to end, by id and number of the queued row.
  package func stopped(worker: UUID) async throws -> [(id: UUID, round: Int)] {
    try await database.rows(
      "select t.id, t.round from core.stopped_jobs(\(worker)) t",
      UUID.self,
      Int.self
    ).map { ($0, $1) }
  }

  /// Takes over the queue of a database that was restored from a dump. The queued rows and claims of a dump
  /// name transactions of another server.
  ///
  /// - Returns: the number of open jobs; 0 if nothing was restored.
  package func adopt() async throws -> Int { try await Restoration.adopt(database) ?? 0 }

  /// Rescues the jobs of workers whose lease has expired: the jobs run elsewhere, or are dead after their
  /// last attempt.
  ///
  /// - Returns: the number of jobs enqueued again, but at least 1 for each rescued claim.
  package func rescue() async throws -> Int {
    let freed = try await database.value(
      "select core.rescue_jobs('its worker stopped answering')",
      as: Int.self
    )
    // Jobs that the lost worker had not reached yet were never announced to this one.
    if freed > 0 { forgetLanes() }
    return freed
  }
}
