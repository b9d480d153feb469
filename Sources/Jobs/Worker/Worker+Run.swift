internal import CoreMetrics
internal import FoundationEssentials
internal import Logging
internal import Store
internal import Synchronization

extension Worker {
  /// Runs jobs in one slot until there are none any more and never will be.
  func work() async {
    let slot = Slot()
    slots.withLock { $0.append(slot) }
    var isOpen = true
    while isOpen {
      // A task of its own, so that one job can be ended alone; the next one gets another.
      let task = Task { await self.work(slot) }
      slot.run(task)
      isOpen = await task.value
    }
    slots.withLock { $0.removeAll { $0 === slot } }
  }

  /// - Returns: whether there may be more jobs.
  private func work(_ slot: Slot) async -> Bool {
    while !Task.isCancelled {
      guard let job = await buffer.next() else { return false }
      let now = ContinuousClock.now
      guard now < leaseEnd.withLock({ $0 }) else {
        await hesitate(job)
        continue
      }
      guard !job.isLost else { continue }
      slot.begin(job, at: now)
      let isAbandoned = await attempt(job, in: slot)
      guard !isAbandoned else { return false }
      slot.end()
    }
    return true
  }

  /// The worker was stopped for longer than its lease, or cannot reach the database: what it has claimed may
  /// be another's by now, so nothing begins before the next heartbeat.
  private func hesitate(_ job: ClaimedJob) async {
    buffer.putBack(job)
    try? await Task.sleep(for: .milliseconds(20))  // cancelled: the loop ends
  }

  /// Has it written down that a job begins of which a worker may have died; any other just begins.
  private func begin(_ job: ClaimedJob) async -> Bool {
    guard job.isAlone else { return true }
    do {
      if try await shielded({ try await self.queue.begin(job, worker: self.id) }) { return true }
      log(job, "the lease was lost before it began")
    } catch {
      log(job, "its beginning cannot be written: \(error)")
      queue.abandon(job)
    }
    return false
  }

  /// - Returns: whether the slot was given up meanwhile.
  private func attempt(_ job: ClaimedJob, in slot: Slot) async -> Bool {
    guard await begin(job) else { return slot.handlerReturned().isAbandoned }
    let outcome: Result<JobEffects, any Error>
    let began = ContinuousClock.now
    meters?.of(job).wait.record(job.waited / .seconds(1))
    do {
      guard let handler = handlers[job.kind] else { throw JobFailure.permanent("nobody handles \(job.kind)") }
      let effects = try await handler.run(
        job.subject,
        JobContext(job: job, database: database, log: logger, listener: slot)
      )
      outcome = .success(effects)
    } catch {
      outcome = .failure(error)
    }
    let (verdict, isAbandoned) = slot.handlerReturned()
    guard !isAbandoned else { return true }
    meters?.of(job).duration.record((ContinuousClock.now - began) / .seconds(1))
    await writeLastNotes(of: slot)
    switch (verdict, outcome) {
    case (nil, .success(let effects)), (.late, .success(let effects)): await succeed(job, effects)
    case (.lost, _): interrupted(job, "interrupted: the lease was lost")
    case (.handedBack, .success(let effects)): await succeed(job, effects)
    case (.handedBack, .failure): interrupted(job, "interrupted: handed back")
    case (.cancelled, _): await cancel(job)
    case (.late, .failure): await fail(job, JobFailure.temporary("it took longer than \(timeout(of: job))"))
    case (nil, .failure(let error)): await fail(job, error)
    }
    return false
  }

  private func succeed(_ job: ClaimedJob, _ effects: JobEffects) async {
    guard effects.isSomething || job.uniqueKey != nil else {
      if queue.finish(job, worker: id) { ackSignal.give() }
      ended(job, .succeeded)
      return
    }
    do {
      let isDone = try await shielded {
        try await self.queue.complete(job, worker: self.id, effects: effects.apply)
      }
      guard isDone else { return interrupted(job, "the lease was lost; nothing was written") }
      ended(job, .succeeded)
    } catch {
      await fail(job, error)
    }
  }

  func fail(_ job: ClaimedJob, _ error: any Error) async {
    if case JobFailure.snooze(let time, let why) = error {
      await record(job, .snoozed) {
        try await self.queue.snooze(job, worker: self.id, for: time, why: why)
      }
      return
    }
    let verdict = FailureVerdict(error, attempt: job.attempt, of: job.maxAttempts)
    logger.warning(
      "failed",
      metadata: job.logMetadata.merging(
        ["error": "\(verdict.reason)", "dead": "\(verdict.retryAfter == nil)"]
      ) { $1 }
    )
    await record(job, verdict.retryAfter == nil ? .dead : .failed) {
      try await self.queue.fail(job, worker: self.id, error: verdict.reason, retryAfter: verdict.retryAfter)
    }
  }

  func cancel(_ job: ClaimedJob) async {
    log(job, "cancelled")
    await record(job, .cancelled) { try await self.queue.cancel(job, worker: self.id) }
  }

  /// Writes an outcome down; if that fails the job is given back, and has had an attempt if it was alone.
  private func record(
    _ job: ClaimedJob,
    _ outcome: JobMeters.Outcome,
    _ write: @escaping @Sendable () async throws -> Bool
  ) async {
    do {
      guard try await shielded(write) else {
        return interrupted(job, "the lease was lost; nothing was written")
      }
      ended(job, outcome)
    } catch {
      interrupted(job, "the outcome cannot be written", error)
      queue.abandon(job)
    }
  }

  private func ended(_ job: ClaimedJob, _ outcome: JobMeters.Outcome) {
    meters?.of(job).end(outcome)
    guard logger.logLevel <= .debug else { return }
    logger.debug("ended", metadata: job.logMetadata.merging(["outcome": "\(outcome.rawValue)"]) { $1 })
  }

  private func interrupted(_ job: ClaimedJob, _ what: Logger.Message, _ error: (any Error)? = nil) {
    meters?.of(job).end(.interrupted)
    log(job, what, error)
  }

  /// In a task of its own, since that of the slot may be cancelled: the outcome is written all the same.
  func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    guard Task.isCancelled else { return try await body() }
    return try await Task { try await body() }.value
  }

  func timeout(of job: ClaimedJob) -> Duration { handlers[job.kind]?.timeout ?? configuration.timeout }

  private func log(_ job: ClaimedJob, _ what: Logger.Message, _ error: (any Error)? = nil) {
    var metadata = job.logMetadata
    if let error { metadata["error"] = "\(error)" }
    logger.warning(what, metadata: metadata)
  }
}
