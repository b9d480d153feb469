internal import CoreMetrics
internal import FoundationEssentials
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Says that the worker lives, and sees to what was taken from it, cancelled, or lies there for too long.
  func beat() async {
    let now = ContinuousClock.now
    do {
      try await queue.heartbeat(worker: id, lease: configuration.lease)
      renewLease(from: now)
      pulse.beat()
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("cannot say that it lives", metadata: ["error": "\(error)"])
      return
    }
    _ = buffer.remove(where: \.isLost)
    for (slot, job) in running where job.isLost { slot.interrupt(job.claim, .lost) }
    await endCancelled()
    await shed()
  }

  /// What it had at `now` is its own for the time of a lease, less what clocks may differ in.
  func renewLease(from now: ContinuousClock.Instant) {
    let end = now + configuration.lease * 0.9
    leaseEnd.withLock { $0 = end }
  }

  /// Ends the jobs that somebody cancelled.
  func endCancelled() async {
    do {
      for (stopped, round) in try await queue.stopped(worker: id) {
        for job in buffer.remove(where: { $0.id == stopped && $0.round == round }) { await cancel(job) }
        for (slot, job) in running where job.id == stopped && job.round == round {
          slot.interrupt(job.claim, .cancelled)
        }
      }
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("cannot look for cancelled jobs", metadata: ["error": "\(error)"])
    }
  }

  /// Hands back jobs that were claimed when jobs were quick, and would now lie here while others have nothing
  /// to do.
  private func shed() async {
    let waited = buffer.remove { $0.heldFor > configuration.heartbeat * 2 }
    guard !waited.isEmpty else { return }
    logger.debug("handing back what it cannot get to", metadata: ["jobs": "\(waited.count)"])
    do {
      try await queue.release(waited, worker: id)
    } catch {
      for job in waited { queue.abandon(job) }
    }
  }

  /// Ends jobs that take too long, and replaces slots whose job does not end.
  func watch() async {
    let now = ContinuousClock.now
    for slot in slots.withLock({ $0 }) {
      guard let (job, began, ending) = slot.current else { continue }
      if let ending {
        guard now - ending.since > configuration.patience, slot.abandon(job.claim) else { continue }
        await replace(slot, job, ending.verdict)
      } else if now - began > timeout(of: job) {
        slot.interrupt(job.claim, .late)
      }
    }
  }

  private func replace(_ slot: Slot, _ job: ClaimedJob, _ verdict: Slot.Verdict) async {
    logger.error(
      "a job does not end though it was told to; its slot is replaced",
      metadata: job.logMetadata
    )
    slots.withLock { $0.removeAll { $0 === slot } }
    Task { await self.work() }
    switch verdict {
    case .late:
      await fail(
        job,
        JobFailure.temporary("it took longer than \(timeout(of: job)), and did not end when told to")
      )
    case .cancelled: await cancel(job)
    case .lost, .handedBack: break
    }
  }

  func rescue() async {
    do {
      let freed = try await queue.rescue()
      guard freed > 0 else { return }
      meters?.rescued.increment(by: freed)
      logger.warning("freed jobs of a lost worker", metadata: ["jobs": "\(freed)"])
      pollAgain()
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("cannot look for lost jobs", metadata: ["error": "\(error)"])
    }
  }
}
