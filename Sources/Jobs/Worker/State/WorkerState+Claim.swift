internal import Store

extension WorkerState {
  /// Records that empty lanes have got jobs.
  ///
  /// - Parameter newLanes: number of those lanes; nil if a poll has to find them.
  mutating func notified(newLanes: Int?) -> [Action] {
    guard let newLanes else { return pollDue(enqueuesDue: false) }
    claims.addLanes(newLanes)
    return wakeClaims()
  }

  /// Records that a poll may find jobs.
  ///
  /// - Parameter enqueuesDue: true if deferred jobs may have become due.
  mutating func pollDue(enqueuesDue: Bool) -> [Action] {
    claims.requirePoll(enqueuesDue: enqueuesDue)
    return wakeClaims()
  }

  /// Starts a turn of the claim loop.
  ///
  /// - Parameter hasLanes: true if lanes that may have jobs are known.
  mutating func claimTurn(hasLanes: Bool, at now: Instant) -> ClaimLoop.Step {
    guard phase == .working else { return .finish }
    return claims.turn(hasLanes: hasLanes) ?? demand(at: now)
  }

  /// Records the result of a poll. Returns the next step of the claim loop.
  mutating func polled(newLanes: Int, hasMore: Bool, at now: Instant) -> ClaimLoop.Step {
    guard phase == .working else { return .finish }
    claims.polled(newLanes: newLanes, hasMore: hasMore)
    return demand(at: now)
  }

  /// Adds claimed jobs to the buffer and gives them to waiting slots. Hands them back if the worker was told
  /// to stop meanwhile.
  ///
  /// - Parameters:
  ///   - hasMore: true if another claim may return more.
  ///   - isBusy: true if other workers were claiming from all those lanes.
  mutating func claimed(_ jobs: [ClaimedJob], hasMore: Bool, isBusy: Bool, at now: Instant)
    -> (actions: [Action], next: ClaimLoop.Step)
  {
    guard phase == .working else { return (jobs.isEmpty ? [] : [.handBack(jobs)], .finish) }
    buffer.add(jobs)
    let actions = dispatch(at: now)
    buffer.setLowWater(claims.lowWater)
    return (actions, claims.claimed(hasMore: hasMore, isBusy: isBusy, at: now))
  }

  /// Records that a poll or a claim failed. Returns the next step of the claim loop.
  mutating func claimFailed(at now: Instant) -> ClaimLoop.Step {
    phase == .working ? claims.failed(at: now) : .finish
  }

  /// Wakes the claim loop unless the worker stops or the loop is not waiting.
  private mutating func wakeClaims() -> [Action] {
    phase == .working && claims.wake() ? [.wakeClaims] : []
  }

  /// Decides whether to claim, and how many jobs.
  private mutating func demand(at now: Instant) -> ClaimLoop.Step {
    // Slots that wait for a heartbeat need no jobs.
    let idle = isLeaseCertain(at: now) ? slots.idle.count : 0
    return claims.demand(taken: buffer.taken, buffered: buffer.count, idle: idle, at: now)
  }
}
