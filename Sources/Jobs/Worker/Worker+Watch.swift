internal import CoreMetrics
internal import FoundationEssentials
internal import Logging
internal import Postgres
internal import Store
internal import Synchronization

extension Worker {
  /// Sends a heartbeat, which renews the lease. Afterwards ends the jobs whose lease was lost or that were
  /// cancelled by request, and hands back those buffered for too long. A failed heartbeat is logged and not
  /// repeated before its interval has passed.
  func beat() async {
    let sent = ContinuousClock.now
    do {
      try await queue.heartbeat(worker: id, lease: configuration.lease)
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("heartbeat failed", metadata: ["error": "\(error)"])
      return
    }
    pulse.beat()
    await perform { $0.leaseRenewed(sent: sent, at: .now) }
    await endCancelled()
    await perform { $0.shed(at: .now) }
  }

  /// Ends the worker's jobs that were cancelled by request.
  func endCancelled() async {
    do {
      let cancelled = try await queue.stopped(worker: id)
      await perform { $0.jobsCancelled(cancelled, at: .now) }
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("cannot read cancelled jobs", metadata: ["error": "\(error)"])
    }
  }

  /// Rescues the jobs of workers whose lease has expired. Every worker does this at each heartbeat interval.
  func rescue() async {
    do {
      let freed = try await queue.rescue()
      guard freed > 0 else { return }
      meters?.rescued.increment(by: freed)
      logger.warning("freed jobs of a lost worker", metadata: ["jobs": "\(freed)"])
      await perform { $0.pollDue(enqueuesDue: false) }
    } catch {
      guard !(error is CancellationError) else { return }
      logger.error("cannot rescue jobs of lost workers", metadata: ["error": "\(error)"])
    }
  }
}
