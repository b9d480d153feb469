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

  /// The worker was stopped for longer than its lease, or cannot reach the database: what it has claimed may be
  /// another's by now, so nothing begins before the next heartbeat.
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
    do {
      guard let handler = handlers[job.kind] else { throw JobFailure.permanent("nobody handles \(job.kind)") }
      let effects = try await handler.run(job.subject, JobContext(job: job, database: database))
      outcome = .success(effects)
    } catch {
      outcome = .failure(error)
    }
    let (verdict, isAbandoned) = slot.handlerReturned()
    guard !isAbandoned else { return true }
    switch (verdict, outcome) {
    case (nil, .success(let effects)), (.late, .success(let effects)): await succeed(job, effects)
    case (.lost, _): log(job, "interrupted: the lease was lost")
    case (.handedBack, .success(let effects)): await succeed(job, effects)
    case (.handedBack, .failure): log(job, "interrupted: handed back")
    case (.cancelled, _): await cancel(job)
    case (.late, .failure): await fail(job, JobFailure.temporary("it took longer than \(timeout(of: job))"))
    case (nil, .failure(let error)): await fail(job, error)
    }
    return false
  }

  private func succeed(_ job: ClaimedJob, _ effects: JobEffects) async {
    guard effects.isSomething || job.uniqueKey != nil else {
      if queue.finish(job, worker: id) { settleSignal.give() }
      return
    }
    do {
      let isDone = try await shielded {
        try await self.queue.complete(job, worker: self.id, effects: effects.apply)
      }
      if !isDone { log(job, "the lease was lost; nothing was written") }
    } catch {
      await fail(job, error)
    }
  }

  func fail(_ job: ClaimedJob, _ error: any Error) async {
    if case JobFailure.snooze(let time, let why) = error {
      await record(job) { try await self.queue.snooze(job, worker: self.id, for: time, why: why) }
      return
    }
    let verdict = FailureVerdict(error, attempt: job.attempt, of: job.maxAttempts)
    logger.warning(
      "failed",
      metadata: [
        "job": "\(job.id.uuidString.lowercased())", "kind": "\(job.kind)", "attempt": "\(job.attempt)",
        "error": "\(verdict.reason)", "dead": "\(verdict.retryAfter == nil)",
      ]
    )
    await record(job) {
      try await self.queue.fail(job, worker: self.id, error: verdict.reason, retryAfter: verdict.retryAfter)
    }
  }

  func cancel(_ job: ClaimedJob) async {
    log(job, "cancelled")
    await record(job) { try await self.queue.cancel(job, worker: self.id) }
  }

  /// Writes an outcome down; if that fails the job is given back, and has had an attempt if it was alone.
  private func record(_ job: ClaimedJob, _ write: @escaping @Sendable () async throws -> Bool) async {
    do {
      if try await !shielded(write) { log(job, "the lease was lost; nothing was written") }
    } catch {
      log(job, "the outcome cannot be written: \(error)")
      queue.abandon(job)
    }
  }

  /// In a task of its own, since that of the slot may be cancelled: the outcome is written all the same.
  private func shielded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    guard Task.isCancelled else { return try await body() }
    return try await Task { try await body() }.value
  }

  func timeout(of job: ClaimedJob) -> Duration { handlers[job.kind]?.timeout ?? configuration.timeout }

  private func log(_ job: ClaimedJob, _ what: Logger.Message) {
    logger.warning(what, metadata: ["job": "\(job.id.uuidString.lowercased())", "kind": "\(job.kind)"])
  }
}
