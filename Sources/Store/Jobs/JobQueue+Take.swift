package import FoundationEssentials
internal import Postgres
internal import Synchronization

extension JobQueue {
  /// The maximum size of the batch that an idle worker takes from a single lane.
  private static let mostOfOne = 20

  /// The result of a claim.
  package struct Taken: Sendable {
    package let jobs: [ClaimedJob]
    /// True if another claim may find more.
    package let hasMore: Bool
    /// True if other workers were claiming from all requested lanes: another claim may find more in a moment.
    package let isBusy: Bool
  }

  /// Claims about `limit` jobs from the next lanes, up to the same number from each lane.
  ///
  /// A worker that is not registered, or was declared lost, is registered with this lease.
  package func take(worker: UUID, queues: [String], limit: Int, lease: Duration) async throws -> Taken {
    let (chosen, share) = walk.withLock { walk in
      let lanes = walk.lanes.next(walk.width.lanes(for: limit))
      let each = walk.width.each(of: lanes.count, for: limit)
      // A worker is mostly woken by one job; the rest of the lane, if any, comes with the next claim.
      return (lanes, walk.isAtRest && lanes.count == 1 ? min(each, Self.mostOfOne) : each)
    }
    guard !chosen.isEmpty else { return Taken(jobs: [], hasMore: false, isBusy: false) }
    var lanes = chosen
    let answer: ClaimAnswer
    do {
      let each = try await allow(&lanes, each: share, worker: worker)
      guard !lanes.isEmpty else { return Taken(jobs: [], hasMore: hasLanes, isBusy: false) }
      do {
        answer = try await takeBatches(lanes, each, worker: worker, queues: queues, lease: lease)
      } catch {
        disallow(lanes, each)
        throw error
      }
      if !keeper.isFree(lanes) { await count(answer, lanes, each) }
    } catch {
      walk.withLock { walk in for lane in lanes { walk.lanes.put(lane, hasMore: true) } }
      throw error
    }
    let hasMore = walk.withLock { walk in
      for lane in lanes { walk.lanes.put(lane, hasMore: !answer.empty.contains(lane)) }
      walk.width.learn(
        jobs: answer.jobs.count,
        limit: limit,
        asked: lanes.count,
        busy: answer.busy.count
      )
      walk.isAtRest = walk.lanes.isEmpty
      return !walk.isAtRest
    }
    return Taken(jobs: answer.jobs, hasMore: hasMore, isBusy: answer.busy.count == lanes.count)
  }

  /// Takes batches, and registers the worker if it is not registered or was declared lost.
  private func takeBatches(_ lanes: [Lane], _ each: [Int32], worker: UUID, queues: [String], lease: Duration)
    async throws
    -> ClaimAnswer
  {
    for isLastTry in [false, true] {
      let batch = workers.withLock { $0[worker, default: OpenClaims()].nextBatch() }
      let answer: ClaimAnswer
      let failure: (any Error)?
      do {
        (answer, failure) = try await read(lanes, each, worker: worker, batch: batch, lease: lease)
      } catch {
        guard let state = (error as? PostgresError)?.sqlState else {
          // The claim may have been committed: heartbeats look for it and hand it back.
          workers.withLock { $0[worker]?.loseAnswer(batch) }
          throw error
        }
        workers.withLock { $0[worker]?.answer(batch, []) }
        guard !isLastTry, state.rawValue == "FT010" else { throw error }
        // If the lease expired but nobody rescued the claims, they are still this worker's. If it forgot
        // them, nobody would run their jobs.
        let oldest = workers.withLock { $0[worker]?.oldestBatch ?? 1 }
        if try await WorkerRegister.renew(worker, lease: lease, oldestBatch: oldest, database) { continue }
        // If the worker was registered before, its claims were taken from it.
        for claim in workers.withLock({ $0[worker]?.forgetAll() ?? [] }) { claim.lose() }
        keeper.forget()
        try await WorkerRegister.add(worker, queues: queues, lease: lease, database)
        continue
      }
      if let failure {
        // The claims were made but not read: heartbeats hand them back.
        workers.withLock { $0[worker]?.loseAnswer(batch) }
        throw failure
      }
      workers.withLock { $0[worker]?.answer(batch, answer.claims) }
      return answer
    }
    return ClaimAnswer([], lanes: lanes, batch: 0, lease: lease)
  }
}
