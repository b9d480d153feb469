internal import CoreMetrics
internal import FoundationEssentials
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Runs jobs in a slot, and in its replacements, until the worker stops.
  func work() async {
    var isOpen = true
    while isOpen {
      let slot = Slot(state.withLock { $0.openSlot() })
      slots.withLock { $0[slot.id] = slot }
      // A separate task, so that a single job can be cancelled.
      let task = Task { await self.work(in: slot) }
      slot.setTask(task)
      isOpen = await task.value
      slots.withLock { $0[slot.id] = nil }
    }
  }

  /// Runs jobs in a slot until the slot is closed or has to be replaced.
  ///
  /// - Returns: true if a new slot has to replace this one.
  private func work(in slot: Slot) async -> Bool {
    while true {
      let now = ContinuousClock.now
      let (step, wakesClaims) = state.withLock { $0.slotReady(slot.id, at: now) }
      if wakesClaims { claimSignal.give() }
      switch step {
      case .run(let job): await attempt(job, in: slot)
      case .wait:
        guard let job = await slot.next() else { return false }
        await attempt(job, in: slot)
      case .renew: return true
      case .close: return false
      }
    }
  }

  /// Runs one attempt and writes its outcome.
  private func attempt(_ job: ClaimedJob, in slot: Slot) async {
    slot.start(job)
    if outsideKinds.contains(job.kind), state.withLock({ $0.lacksSlot }) {
      // Another slot takes the place of this one while its job waits. Not a child task: see `runJobs`.
      Task { await self.work() }
    }
    guard await begin(job) else { return }
    let outcome: Result<JobEffects, any Error>
    let began = ContinuousClock.now
    meters?.of(job).wait.record(job.waited / .seconds(1))
    do {
      guard let handler = handlers[job.kind] else {
        throw JobFailure.permanent("no handler for kind \(job.kind)")
      }
      let effects = try await handler.run(
        job.subject,
        JobContext(job: job, database: database, log: logger, listener: slot)
      )
      outcome = .success(effects)
    } catch {
      outcome = .failure(error)
    }
    let succeeded = if case .success = outcome { true } else { false }
    let (settlement, isInterrupted) = state.withLock { $0.handlerReturned(slot.id, succeeded: succeeded) }
    guard settlement != .abandoned else { return }
    meters?.of(job).duration.record((ContinuousClock.now - began) / .seconds(1))
    guard isInterrupted else { return await settle(job, settlement, outcome, slot) }
    // The slot's task is cancelled or will be; the outcome must be written anyway.
    await Task { await settle(job, settlement, outcome, slot) }.value
  }

  /// Records the start of a job that may have killed a worker. Other jobs start without a write.
  ///
  /// - Returns: false if the lease was lost or the start could not be written; then the job must not run.
  private func begin(_ job: ClaimedJob) async -> Bool {
    guard job.isAlone else { return true }
    do {
      if try await shielded({ try await self.queue.begin(job, worker: self.id) }) { return true }
      log(job, "the lease was lost before the job started")
    } catch {
      log(job, "the start cannot be written", error)
      queue.abandon(job)
    }
    return false
  }

  /// Writes the remaining notes and the outcome of an attempt.
  private func settle(
    _ job: ClaimedJob,
    _ settlement: WorkerState.Settlement,
    _ outcome: Result<JobEffects, any Error>,
    _ slot: Slot
  ) async {
    await writeLastNotes(of: slot)
    switch (settlement, outcome) {
    case (.complete, .success(let effects)): await succeed(job, effects)
    case (.fail, .failure(let error)): await fail(job, error)
    case (.timeOut, _):
      await fail(job, JobFailure.temporary("the attempt took longer than \(timeLimit(of: job))"))
    case (.cancel, _): await cancel(job)
    case (.dropLost, _): interrupted(job, "interrupted: the lease was lost")
    case (.dropHandedBack, _): interrupted(job, "interrupted: handed back")
    case (.complete, .failure), (.fail, .success), (.abandoned, _): break
    }
  }

  /// Writes a success. Without effects and without a unique key, the success is only counted, and is written
  /// with the acknowledgement of the claim. If the effects fail, the attempt has failed with their error.
  private func succeed(_ job: ClaimedJob, _ effects: JobEffects) async {
    guard effects.isSomething || job.uniqueKey != nil else {
      if queue.finish(job, worker: id), state.withLock({ $0.claimEnded() }) { ackSignal.give() }
      ended(job, .succeeded)
      return
    }
    do {
      guard try await queue.complete(job, worker: id, effects: effects.apply) else {
        return interrupted(job, "the lease was lost; nothing was written")
      }
      ended(job, .succeeded)
    } catch {
      await fail(job, error)
    }
  }
}
