package import CoreMetrics
internal import Domain
internal import FoundationEssentials
package import Logging
package import Postgres
internal import Secrets
internal import ServiceLifecycle
package import Store
internal import Synchronization

/// Takes jobs and runs them until it is told to stop; then it claims no more, hands back what it has not
/// begun, finishes what it has, and hands back what does not end in time.
///
/// One loop claims ahead of the slots, which run the jobs; another commits the ends of claims. Neither waits
/// for the other: a claim need not be durable, and an end need not be quick.
package final class Worker: Service {
  let database: Database
  let queue: JobQueue
  let handlers: HandlerTable
  let configuration: WorkerConfiguration
  let logger: Logger
  let id = UUIDv7Generator.shared.next()
  /// How it is, for those who watch it.
  package let pulse = WorkerPulse()
  let meters: JobMeters?
  let slots = Mutex<[Slot]>([])
  let buffer: JobBuffer
  let claimSignal = Signal()
  let ackSignal = Signal()
  /// Until when what it has claimed is its own beyond doubt.
  let leaseEnd = Mutex(ContinuousClock.now)
  /// Whether lanes may have got jobs since the last poll.
  let mustPoll = Atomic(true)
  /// How many lanes that had no jobs have got some, as notified since the last claim.
  let newLanes = Atomic(0)
  /// Whether deferred jobs may have become due since the last poll.
  let mustEnqueueDue = Atomic(true)
  private let isStopping = Atomic(false)
  /// What it had claimed and not begun when it was told to stop.
  private let notBegun = Mutex<[ClaimedJob]>([])

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - queue: where jobs come from.
  ///   - metrics: where it counts what it does; nil: it does not.
  package init(
    database: Database,
    queue: JobQueue,
    handlers: HandlerTable,
    configuration: WorkerConfiguration = WorkerConfiguration(),
    metrics: (any MetricsFactory)? = nil,
    logger: Logger
  ) {
    meters = metrics.map { JobMeters($0) }
    self.database = database
    self.queue = queue
    self.handlers = handlers
    self.configuration = configuration
    var logger = logger
    logger[metadataKey: "worker"] = "\(id.uuidString.lowercased().suffix(8))"
    self.logger = logger
    buffer = JobBuffer(weights: configuration.queues) { [claimSignal] in claimSignal.give() }
  }

  /// Works until graceful shutdown or cancellation.
  package func run() async throws {
    let adopted = try await queue.adopt()
    if adopted > 0 {
      logger.notice("took over jobs of a database that was restored", metadata: ["jobs": "\(adopted)"])
    }
    try await WorkerRegister.add(id, queues: configuration.queueNames, lease: configuration.lease, database)
    try await queue.loadRules()
    renewLease(from: .now)
    logger.info("working", metadata: ["queues": "\(configuration.queueNames.joined(separator: ","))"])
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.listen() }
        // It polls as soon as it listens, so that nothing is missed in between; and if it cannot, after a
        // while.
        group.addTask {
          try? await Task.sleep(for: self.configuration.poll)  // cancelled: the loop's condition ends it
          await self.repeating(every: self.configuration.poll) { self.lookAround() }
        }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.beat() } }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.rescue() } }
        group.addTask { await self.repeating(every: .milliseconds(50)) { await self.watch() } }
        group.addTask { await self.repeating(every: .milliseconds(250)) { await self.writeNotes() } }
        group.addTask { await self.acknowledgeClaims() }
        await runJobs()
        group.cancelAll()
      }
    } onGracefulShutdown: {
      self.stop()
    }
    // A task of its own: a worker that was cancelled is gone too.
    await Task { await WorkerRegister.remove(id, database) }.value
    logger.info("stopped")
  }

  /// Claims nothing more; ``run()`` returns when what was begun has ended or the grace period is over.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    pulse.stop()
    let left = buffer.close()
    notBegun.withLock { $0 += left }
    claimSignal.finish()
  }

  var mayClaim: Bool { !isStopping.load(ordering: .acquiring) && !Task.isCancelled }

  /// Claims while it may, and then ends what was begun.
  private func runJobs() async {
    // Not children of this one: a job that will not end must not keep the worker from stopping.
    for _ in 0..<configuration.concurrency { Task { await self.work() } }
    await claimJobs()
    await drain()
  }

  /// Hands back what was not begun, and waits for what runs, at most for the grace period.
  private func drain() async {
    await handBack(buffer.close() + notBegun.withLock { $0 })
    let deadline = ContinuousClock.now + configuration.grace
    while !running.isEmpty, ContinuousClock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(10))  // cancelled: the loop's condition ends it
    }
    let rest = running
    for (slot, job) in rest { slot.interrupt(job.claim, .handedBack) }
    if !rest.isEmpty {
      logger.warning("handing back", metadata: ["jobs": "\(rest.count)"])
      await handBack(rest.map(\.job))
    }
    // Shielded from a cancellation: what was done is done. Not acknowledged: it would be done again.
    _ = await Task { try? await queue.acknowledge(worker: id) }.value
  }

  private func handBack(_ jobs: [ClaimedJob]) async {
    guard !jobs.isEmpty else { return }
    // As above. Not released: the lease runs out.
    await Task { try? await queue.release(jobs, worker: id) }.value
  }

  /// What runs, and where.
  var running: [(slot: Slot, job: ClaimedJob)] {
    slots.withLock { $0 }.compactMap { slot in slot.current.map { (slot, $0.job) } }
  }

  /// Makes the claim loop poll for lanes with jobs.
  func pollAgain() {
    mustPoll.store(true, ordering: .releasing)
    claimSignal.give()
  }

  /// Makes the claim loop poll for due jobs too.
  private func lookAround() {
    mustEnqueueDue.store(true, ordering: .releasing)
    queue.returnBlocked()
    pollAgain()
  }

  private func repeating(every interval: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: interval)  // cancelled: the loop's condition ends it
    }
  }
}
