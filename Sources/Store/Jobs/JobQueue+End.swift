package import FoundationEssentials
package import Postgres
internal import Synchronization

extension JobQueue {
  /// The maximum number of claims acknowledged in one statement.
  private static let claimsAtOnce = 1_000

  /// Records the start of a job that may have killed a worker.
  ///
  /// - Returns: false if the claim was lost.
  package func begin(_ job: ClaimedJob, worker: UUID) async throws -> Bool {
    let isHeld = try await database.value(
      "select core.begin_job(\(job.company), \(job.lane), \(job.fence), \(worker), \(job.id))",
      as: Bool.self
    )
    if !isHeld { lose([job.openClaim], worker) }
    return isHeld
  }

  /// Marks a job without effects as succeeded; ``acknowledge(worker:)`` commits it with the other jobs of its
  /// claim.
  ///
  /// - Returns: true if the claim can be acknowledged now.
  package func finish(_ job: ClaimedJob, worker: UUID) -> Bool {
    let isLast = job.openClaim.end(job.position, isWritten: false, succeeded: true)
    uncount(job.openClaim)
    guard isLast else { return false }
    workers.withLock { $0[worker]?.end(job.openClaim) }
    return true
  }

  /// Acknowledges all claims whose jobs are done. If this throws, the claims can be acknowledged again.
  ///
  /// - Returns: the number of claims that the worker had lost; their jobs may run elsewhere too.
  @discardableResult
  package func acknowledge(worker: UUID) async throws -> Int {
    var lost = 0
    while true {
      let claims = workers.withLock { $0[worker]?.takeEnded(Self.claimsAtOnce) ?? [] }
      guard !claims.isEmpty else { return lost }
      do {
        let gone = try await database.rows(
          """
          select l.company_id, l.lane, l.no
          from core.ack_claims(\(worker), \(claims.map(\.week)), \(claims.map(\.lane.company)),
            \(claims.map(\.lane.id)), \(claims.map(\.no)), \(claims.map(\.hasSuccess))) l
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

  /// Commits the effects of a job together with its success.
  ///
  /// - Returns: false if the claim was lost; then nothing is written.
  package func complete(
    _ job: ClaimedJob,
    worker: UUID,
    effects: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    try await end(job, worker: worker, mode: .engine, succeeded: true) { tx in
      try effects(tx)
      try JobOutcome.succeeded(job, worker: worker, tx)
    }
  }

  /// Records a failed attempt.
  ///
  /// - Parameter retryAfter: the delay before the next attempt; nil if the job is dead.
  /// - Returns: false if the claim was lost; then nothing is written.
  package func fail(_ job: ClaimedJob, worker: UUID, error: String, retryAfter: Duration?) async throws
    -> Bool
  {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.failed(job, worker: worker, error: error, retryAfter: retryAfter, tx)
    }
  }

  /// Postpones a job by `time` without counting the attempt.
  ///
  /// - Returns: false if the claim was lost; then nothing is written.
  package func snooze(_ job: ClaimedJob, worker: UUID, for time: Duration, why: String?) async throws -> Bool
  {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.snoozed(job, worker: worker, for: time, why: why, tx)
    }
  }

  /// Records that a running job was cancelled.
  ///
  /// - Returns: false if the claim was lost; then nothing is written.
  package func cancel(_ job: ClaimedJob, worker: UUID) async throws -> Bool {
    try await end(job, worker: worker, mode: nil) { tx in
      try JobOutcome.cancelled(job, worker: worker, tx)
    }
  }

  /// Writes the outcome of a job if its claim holds, and acknowledges the claim with its last job.
  private func end(
    _ job: ClaimedJob,
    worker: UUID,
    mode: WriteMode?,
    succeeded: Bool = false,
    _ write: @escaping @Sendable (Transaction) throws -> Void
  ) async throws -> Bool {
    let openClaim = job.openClaim
    let isLast = openClaim.isLast(job.position)
    var options = TransactionOptions.inside(job.company, mode: mode)
    options.retries = 5
    // A worker that stops within the transaction must not keep the claim for longer than its lease: the
    // rescue of its jobs waits for this transaction to end.
    options.idleTimeout = openClaim.lease
    let isWritten = try await database.transaction(options) { tx in
      guard
        try tx.value(
          "select core.holds_claim(\(job.lane), \(job.fence), \(worker), \(job.id), \(Int32(clamping: job.round)))",
          as: Bool.self
        )
      else {
        try tx.rollback()
        return false
      }
      try write(tx)
      if isLast { try JobOutcome.acknowledge(openClaim, hasSuccess: openClaim.hasSuccess || succeeded, tx) }
      return true
    }
    guard isWritten else {
      lose([openClaim], worker)
      return false
    }
    let isDone = openClaim.end(job.position, isWritten: true, succeeded: succeeded)
    uncount(openClaim)
    guard isDone else { return true }
    workers.withLock { isLast ? $0[worker]?.forget(openClaim.key) : $0[worker]?.end(openClaim) }
    return true
  }

  /// Marks claims as lost and forgets them. Their open jobs no longer count towards their limits.
  func lose(_ claims: [OpenClaim], _ worker: UUID) {
    for claim in claims {
      uncount(claim, claim.openCount)
      claim.lose()
      workers.withLock { $0[worker]?.forget(claim.key) }
    }
  }

  /// Gives up a job whose outcome could not be written; a heartbeat ends its claim as lost.
  package func abandon(_ job: ClaimedJob) {
    job.openClaim.giveUp(job.position)
    uncount(job.openClaim)
  }

  /// Hands back jobs that were not started or not finished, without counting the attempt. Jobs of lost claims
  /// are skipped.
  package func release(_ jobs: [ClaimedJob], worker: UUID) async throws {
    var claimed: [ClaimKey: [ClaimedJob]] = [:]
    for job in jobs where !job.isLost { claimed[job.openClaim.key, default: []].append(job) }
    for (key, jobs) in claimed {
      try await database.execute(
        "select core.hand_back(\(key.company), \(key.lane), \(key.no), \(worker), \(jobs.map(\.id)))"
      )
      uncount(jobs[0].openClaim, jobs.count)
      for job in jobs where job.openClaim.end(job.position, isWritten: true, succeeded: false) {
        workers.withLock { $0[worker]?.end(job.openClaim) }
      }
    }
    try await acknowledge(worker: worker)
  }
}
