internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Records an event and performs the actions that follow, in order. Returns after their queries have ended.
  func perform(_ event: (inout WorkerState) -> [WorkerState.Action]) async {
    for action in state.withLock({ event(&$0) }) where !performAtOnce(action) { await write(action) }
  }

  /// Performs an action that needs no query. Returns false, without effect, for other actions.
  @discardableResult
  func performAtOnce(_ action: WorkerState.Action) -> Bool {
    switch action {
    case .run(let job, let slot): slots.withLock { $0[slot] }?.deliver(job)
    case .close(let slot): slots.withLock { $0[slot] }?.deliver(nil)
    case .cancel(let slot): slots.withLock { $0[slot] }?.cancel()
    case .wakeClaims: claimSignal.give()
    case .endClaims:
      pulse.stop()
      claimSignal.finish()
    case .handBack, .writeCancelled, .replace: return false
    }
    return true
  }

  /// Performs an action that needs a query.
  private func write(_ action: WorkerState.Action) async {
    switch action {
    case .handBack(let jobs): await handBack(jobs)
    case .writeCancelled(let job): await cancel(job)
    case .replace(let slot, let job, let verdict): await replace(slot, job, verdict)
    case .run, .close, .cancel, .wakeClaims, .endClaims: break
    }
  }

  /// Returns jobs to the queue without counting an attempt. If that fails, their claims are given up and
  /// ended by the next heartbeats; without heartbeats, the lease expires.
  func handBack(_ jobs: [ClaimedJob]) async {
    logger.debug("handing back", metadata: ["jobs": "\(jobs.count)"])
    // A separate task, which is not cancelled with the worker: otherwise the jobs would wait until the lease
    // expires.
    await Task {
      do {
        try await queue.release(jobs, worker: id)
      } catch {
        for job in jobs { queue.abandon(job) }
      }
    }.value
  }

  /// Starts a task for a new slot and writes the outcome of the job that does not end. The job's own task
  /// continues, and its result is ignored.
  private func replace(_ id: SlotTable.ID, _ job: ClaimedJob, _ verdict: SlotTable.Verdict) async {
    logger.error("a cancelled job does not end; its slot is replaced", metadata: job.logMetadata)
    slots.withLock { $0[id] = nil }
    // Not a child task, like the other slots: see `runJobs`.
    Task { await self.work() }
    switch verdict {
    case .late:
      let limit = timeLimit(of: job)
      await fail(
        job,
        JobFailure.temporary("the attempt took longer than \(limit) and did not end when cancelled")
      )
    case .cancelled: await cancel(job)
    case .lost, .handedBack: break
    }
  }
}
