package import CoreMetrics
internal import Domain
internal import FoundationEssentials
package import Logging
package import Postgres
internal import Secrets
internal import ServiceLifecycle
package import Store
internal import Synchronization

/// Claims and runs jobs until it is told to stop. Then it claims no more, hands back jobs that have not
/// started, lets running jobs finish, and hands back those that do not finish in time.
///
/// ``WorkerState`` decides; the worker reports events to it and performs its actions. One loop claims jobs
/// ahead of the slots, which run them; another acknowledges claims. Neither waits for the other: a claim need
/// not be durable, and an acknowledgement need not be quick.
package final class Worker: Service {
  let database: Database
  let queue: JobQueue
  let handlers: HandlerTable
  let configuration: WorkerConfiguration
  let logger: Logger
  let id = UUIDv7Generator.shared.next()
  /// Liveness and readiness of the worker.
  package let pulse = WorkerPulse()
  let meters: JobMeters?
  let state: Mutex<WorkerState>
  /// The open slots.
  let slots = Mutex<[SlotTable.ID: Slot]>([:])
  let claimSignal = Signal()
  let ackSignal = Signal()

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - queue: the source of jobs.
  ///   - metrics: nil for a worker without metrics.
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
    state = Mutex(WorkerState(configuration, timeLimits: handlers.timeLimits, now: .now))
  }

  /// Runs until graceful shutdown or cancellation.
  package func run() async throws {
    let adopted = try await queue.adopt()
    if adopted > 0 {
      logger.notice("took over jobs of a database that was restored", metadata: ["jobs": "\(adopted)"])
    }
    try await WorkerRegister.add(id, queues: configuration.queueNames, lease: configuration.lease, database)
    try await queue.loadRules()
    await perform { $0.leaseRenewed(sent: .now, at: .now) }
    logger.info("working", metadata: ["queues": "\(configuration.queueNames.joined(separator: ","))"])
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.listen() }
        // The first poll follows the first event of the listener, so that no job is missed in between. If the
        // listener cannot connect, it follows this delay.
        group.addTask {
          try? await Task.sleep(for: self.configuration.poll)  // cancelled: the loop's condition ends it
          await self.repeating(every: self.configuration.poll) {
            self.queue.returnBlocked()
            await self.perform { $0.pollDue(enqueuesDue: true) }
          }
        }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.beat() } }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.rescue() } }
        group.addTask {
          await self.repeating(every: .milliseconds(50)) {
            await self.perform { $0.checkTimeLimits(at: .now) }
          }
        }
        group.addTask { await self.repeating(every: .milliseconds(250)) { await self.writeNotes() } }
        group.addTask { await self.acknowledgeClaims() }
        await runJobs()
        group.cancelAll()
      }
    } onGracefulShutdown: {
      self.stop()
    }
    // A separate task, so that a cancelled worker is also removed.
    await Task { await WorkerRegister.remove(id, database) }.value
    logger.info("stopped")
  }

  /// Stops claiming; ``run()`` returns when running jobs have ended or the grace period is over.
  package func stop() {
    for action in state.withLock({ $0.shutdownRequested() }) { performAtOnce(action) }
  }

  /// Claims until the worker is told to stop, then drains.
  private func runJobs() async {
    // Not child tasks: a job that does not end must not keep the worker from stopping.
    for _ in 0..<configuration.concurrency { Task { await self.work() } }
    await claimJobs()
    await drain()
  }

  /// Hands back jobs that have not started, and waits for running ones until the grace period is over.
  private func drain() async {
    await perform { $0.drainStarted(at: .now) }
    var step = drainStep()
    while case .sleep(let end) = step {
      try? await Task.sleep(until: end, clock: .continuous)  // cancelled: the next step ends the loop
      step = drainStep()
    }
    if case .handBack(let jobs, let slots) = step {
      for slot in slots { performAtOnce(.cancel(slot)) }
      logger.warning("handing back jobs that did not end in time", metadata: ["jobs": "\(jobs.count)"])
      await handBack(jobs)
    }
    // Not cancelled with the worker. Jobs whose acknowledgement fails run again.
    _ = await Task { try? await queue.acknowledge(worker: id) }.value
  }

  private func drainStep() -> WorkerState.DrainStep {
    let isCancelled = Task.isCancelled
    return state.withLock { $0.drainStep(at: .now, isCancelled: isCancelled) }
  }

  /// The time limit of an attempt.
  func timeLimit(of job: ClaimedJob) -> Duration { state.withLock { $0.timeLimit(of: job) } }

  private func repeating(every interval: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: interval)  // cancelled: the loop's condition ends it
    }
  }
}
