package import FoundationEssentials
internal import Postgres
internal import Synchronization

extension JobQueue {
  /// Says that the worker lives, which lengthens its lease, and tidies what its claims left: those that were
  /// taken from it are marked as lost, those that could not be acknowledged are, and what is done of a long
  /// one is written down.
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
      let why = "its outcome could not be written down"
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

  /// The jobs of a worker that somebody cancelled, by id and queued row.
  package func stopped(worker: UUID) async throws -> [(id: UUID, round: Int)] {
    try await database.rows(
      "select t.id, t.round from core.stopped_jobs(\(worker)) t",
      UUID.self,
      Int.self
    ).map { ($0, $1) }
  }

  /// Takes the queue over when the database was restored from a dump, whose queued rows and claims mean
  /// nothing here.
  ///
  /// - Returns: how many open jobs there were; 0 where nothing was restored.
  package func adopt() async throws -> Int {
    guard try await !database.value("select core.jobs_are_home()", as: Bool.self) else { return 0 }
    // Takes about a tenth of a millisecond for each job, ended ones among them: longer than a worker's
    // timeout.
    var options = TransactionOptions()
    options.statementTimeout = .seconds(3_600)
    options.idleTimeout = .seconds(3_600)
    return try await database.transaction(options) { tx in
      try tx.value("select core.adopt_jobs()", as: Int.self)
    }
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
