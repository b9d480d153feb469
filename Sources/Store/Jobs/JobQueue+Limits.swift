internal import FoundationEssentials
internal import Synchronization

extension JobQueue {
  /// Reads pauses and limits. If they have changed, returns blocked lanes to the walk.
  package func loadRules() async throws {
    if try await keeper.reload() { returnBlocked() }
  }

  /// Sets the limits that handlers declare for their kinds, for this worker.
  ///
  /// - Parameters:
  ///   - limits: the maximum numbers of running jobs per company, by kind.
  ///   - outside: the kinds that wait for servers of customers, beside the slots.
  ///   - slots: the maximum number of jobs that the worker runs at once in slots.
  ///   - places: the maximum number of jobs beside the slots.
  package func declare(_ limits: [String: Int], outside: Set<String>, slots: Int, places: Int) {
    keeper.declare(DeclaredLimits(limits, outside: outside, slots: slots, places: places))
  }

  /// Returns blocked lanes to the walk, because their limits may have room again.
  package func returnBlocked() {
    let lanes = blocked.withLock { lanes in
      defer { lanes = [] }
      return lanes
    }
    walk.withLock { walk in for lane in lanes { walk.lanes.put(lane, hasMore: true) } }
  }

  /// Removes from `lanes` those without a job that may be claimed, which become blocked, and returns how many
  /// jobs of each other lane may be claimed, from 1 to `share`.
  func allow(_ lanes: inout [Lane], each share: Int, worker: UUID) async throws -> [Int32] {
    guard !keeper.isFree(lanes) else { return lanes.map { _ in Int32(clamping: share) } }
    var allowed: [(lane: Lane, each: Int)] = []
    var stopped: [Lane] = []
    do {
      for lane in lanes {
        let each = keeper.isPaused(lane) ? 0 : try await keeper.allow(share, of: lane, worker: worker)
        if each > 0 { allowed.append((lane, each)) } else { stopped.append(lane) }
      }
    } catch {
      for (lane, each) in allowed { keeper.release(keeper.keys(lane), each) }
      throw error
    }
    blocked.withLock { $0 += stopped }
    lanes = allowed.map(\.lane)
    return allowed.map { Int32(clamping: $0.each) }
  }

  /// Assigns the claims to the limits of their jobs, and returns the tokens of jobs that were not claimed.
  ///
  /// Throws nothing: the jobs are claimed and must run.
  func count(_ answer: ClaimAnswer, _ lanes: [Lane], _ each: [Int32]) async {
    var claimed: [Lane: Int] = [:]
    for claim in answer.claims {
      claim.limits = keeper.keys(claim.lane)
      if !claim.limits.isEmpty { keeper.begin(claim.lane, claim.size) }
      claimed[claim.lane, default: 0] += claim.size
    }
    for (lane, allowed) in zip(lanes, each) {
      await keeper.claimed(claimed[lane] ?? 0, of: Int(allowed), lane)
    }
  }

  /// Stops counting the allowed jobs of a claim that failed. If the claim was committed, heartbeats hand its jobs back.
  func disallow(_ lanes: [Lane], _ each: [Int32]) {
    for (lane, allowed) in zip(lanes, each) { keeper.release(keeper.keys(lane), Int(allowed)) }
  }

  /// Stops counting jobs towards their limits, and returns blocked lanes to the walk.
  func uncount(_ claim: OpenClaim, _ jobs: Int = 1) {
    guard !claim.limits.isEmpty else { return }
    keeper.release(claim.limits, jobs)
    keeper.end(claim.lane, jobs)
    returnBlocked()
  }
}
