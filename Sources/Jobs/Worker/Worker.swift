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
/// ```swift
/// let worker = Worker(
///   database: database,  // connected as fettle_worker
///   queue: JobQueue(database, weights: configuration.queues),
///   handlers: handlers,
///   configuration: configuration,
///   logger: logger
/// )
/// try await worker.run()
/// ```
///
/// ``WorkerState`` decides; the worker reports events to it and performs its actions. One loop claims jobs
/// ahead of the slots, which run them; another acknowledges claims. Neither waits for the other: a claim need
/// not be durable, and an acknowledgement need not be quick.
///
/// Any number of workers may share a database. All methods are safe on any thread.
package final class Worker: Service {
  let database: Database
  let queue: JobQueue
  let handlers: HandlerTable
  let configuration: WorkerConfiguration
  /// The kinds whose jobs run beside the slots.
  let outsideKinds: Set<String>
  let logger: Logger
  /// The worker's id in `core.worker`; new in each process.
  let id = UUIDv7Generator.shared.next()
  /// Liveness and readiness of the worker.
  package let pulse = WorkerPulse()
  /// The worker's metrics; nil for a worker without metrics.
  let meters: JobMeters?
  /// The decisions of the worker. Actions are performed outside the mutex.
  let state: Mutex<WorkerState>
  /// The open slots.
  let slots = Mutex<[SlotTable.ID: Slot]>([:])
  /// Wakes the claim loop.
  let claimSignal = Signal()
  /// Wakes the acknowledgement loop.
  let ackSignal = Signal()

  /// Creates a worker; ``run()`` starts it.
  ///
  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - queue: the source of jobs, with the same weights as the configuration.
  ///   - handlers: the worker claims jobs of their kinds only.
  ///   - configuration: queues, limits and intervals.
  ///   - metrics: nil for a worker without metrics.
  ///   - logger: each line gets the last eight digits of the worker's id.
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
    let outside = handlers.outsideKinds
    outsideKinds = outside
    queue.declare(
      handlers.companyLimits,
      outside: outside,
      slots: configuration.concurrency,
      places: configuration.places
    )
    var logger = logger
    logger[metadataKey: "worker"] = "\(id.uuidString.lowercased().suffix(8))"
    self.logger = logger
    state = Mutex(
      WorkerState(configuration, timeLimits: handlers.timeLimits, outside: outside, now: .now)
    )
  }

  /// Runs until graceful shutdown or cancellation; may be called once.
  ///
  /// Graceful shutdown lets running jobs finish for ``WorkerConfiguration/grace``. Cancelling the task hands
  /// them back at once. Handed-back jobs run on other workers, and the interrupted attempts do not count. In
  /// both cases the worker then removes itself from the list of workers.
  ///
  /// Once started, the worker logs errors of the database and retries, so it survives a restart of the
  /// server.
  ///
  /// - Throws: `PostgresError` or `CancellationError` if the worker cannot register itself and load the
  ///   rules.
  package func run() async throws {
    let adopted = try await queue.adopt()
    if adopted > 0 {
      logger.notice("took over jobs of a database that was restored", metadata: ["jobs": "\(adopted)"])
    }
    try await WorkerRegister.add(id, queues: configuration.queueNames, lease: configuration.lease, database)
    try await queue.loadRules()
    let channel = try await JobNotifier.channel(database)
    await perform { $0.leaseRenewed(sent: .now, at: .now) }
    logger.info("working", metadata: ["queues": "\(configuration.queueNames.joined(separator: ","))"])
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.listen(channel) }
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
    // A separate task, so that a cancelled worker also removes itself.
    await Task { await WorkerRegister.remove(id, database) }.value
    logger.info("stopped")
  }

  /// Stops claiming and starting jobs; ``run()`` returns when running jobs have ended or the grace period is
  /// over. Further calls have no effect.
  package func stop() {
    for action in state.withLock({ $0.shutdownRequested() }) { performAtOnce(action) }
  }

  /// Runs jobs until the worker is told to stop, then drains.
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

  /// Returns the next step of a stopping worker.
  private func drainStep() -> WorkerState.DrainStep {
    let isCancelled = Task.isCancelled
    return state.withLock { $0.drainStep(at: .now, isCancelled: isCancelled) }
  }

  /// Returns the time limit of an attempt: the handler's own, or ``WorkerConfiguration/timeout``.
  func timeLimit(of job: ClaimedJob) -> Duration { state.withLock { $0.timeLimit(of: job) } }

  /// Runs the body, then waits for the interval, until the task is cancelled.
  private func repeating(every interval: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: interval)  // cancelled: the loop's condition ends it
    }
  }
}
