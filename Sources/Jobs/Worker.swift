internal import Domain
internal import FoundationEssentials
internal import Glibc
package import Logging
package import Postgres
internal import Secrets
internal import ServiceLifecycle
package import Store
internal import Synchronization

/// Takes jobs and runs them until it is told to stop; then it claims no more, finishes what it has, and hands the
/// rest back.
package final class Worker: Service {
  private let database: Database
  private let queue: any JobQueue
  private let handlers: HandlerTable
  private let configuration: WorkerConfiguration
  private let logger: Logger
  private let id = UUIDv7Generator.shared.next()
  private let held = Mutex<[ClaimedJob.Claim: HeldJob]>([:])
  private let isStopping = Atomic(false)
  private let wake: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  /// A job that runs, and what ends it early.
  private struct HeldJob {
    let job: ClaimedJob
    let task: Task<Void, Never>
  }

  /// - Parameters:
  ///   - database: connected as `fettle_worker`.
  ///   - queue: where jobs come from.
  package init(
    database: Database,
    queue: any JobQueue,
    handlers: HandlerTable,
    configuration: WorkerConfiguration = WorkerConfiguration(),
    logger: Logger
  ) {
    self.database = database
    self.queue = queue
    self.handlers = handlers
    self.configuration = configuration
    var logger = logger
    logger[metadataKey: "worker"] = "\(id.uuidString.lowercased().prefix(8))"
    self.logger = logger
    (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Works until graceful shutdown or cancellation.
  package func run() async throws {
    try await WorkerRegister.add(id, queues: configuration.queues, lease: configuration.lease, database)
    logger.info("working", metadata: ["queues": "\(configuration.queues.joined(separator: ","))"])
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.listen() }
        group.addTask { await self.repeating(every: self.configuration.poll) { self.waker.yield() } }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.beat() } }
        group.addTask { await self.repeating(every: self.configuration.heartbeat) { await self.rescue() } }
        waker.yield()
        await takeJobs()
        group.cancelAll()
      }
    } onGracefulShutdown: {
      self.stop()
    }
    // As above: a worker that was cancelled is gone too.
    await Task { await WorkerRegister.remove(id, database) }.value
    logger.info("stopped")
  }

  /// Claims nothing more; ``run()`` returns when what was begun has ended or the grace period is over.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    waker.finish()
  }

  private var mayClaim: Bool { !isStopping.load(ordering: .acquiring) && !Task.isCancelled }

  /// Claims whenever something may be due, and returns when all that was begun has ended.
  private func takeJobs() async {
    await withDiscardingTaskGroup { running in
      for await _ in wake {
        var more = true
        while more, mayClaim {
          let free = configuration.concurrency - held.withLock(\.count)
          guard free > 0 else { break }
          let jobs = await claim(free)
          guard mayClaim else {
            // It was told to stop while it was at it.
            await handBack(jobs)
            break
          }
          for job in jobs { start(job, in: &running) }
          more = jobs.count == free
        }
      }
      await drain()
    }
  }

  private func claim(_ limit: Int) async -> [ClaimedJob] {
    do {
      return try await queue.claim(
        worker: id,
        queues: configuration.queues,
        kinds: handlers.kinds,
        limit: limit,
        lease: configuration.lease
      )
    } catch {
      logger.error("cannot claim", metadata: ["error": "\(error)"])
      return []
    }
  }

  private func start(_ job: ClaimedJob, in running: inout DiscardingTaskGroup) {
    // A task of its own, so that a lost lease or the end of the grace period can end this job alone.
    let task = Task { await self.attempt(job) }
    held.withLock { $0[job.claim] = HeldJob(job: job, task: task) }
    running.addTask {
      await task.value
      _ = self.held.withLock { $0.removeValue(forKey: job.claim) }
      self.waker.yield()
    }
  }

  private func attempt(_ job: ClaimedJob) async {
    var logger = logger
    logger[metadataKey: "job"] = "\(job.id.uuidString.lowercased())"
    logger[metadataKey: "kind"] = "\(job.kind)"
    do {
      guard let run = handlers[job.kind] else { throw JobFailure.permanent("nobody handles \(job.kind)") }
      let subject = job.subject
      let context = JobContext(
        job: job,
        cause: subject.causeType.flatMap { type in subject.causeID.map { (type, $0) } },
        traceID: subject.traceID,
        database: database
      )
      let effects = try await Deadline.run(within: configuration.timeout) { try await run(subject, context) }
      if try await queue.complete(job, worker: id, effects: effects.write) {
        logger.info("succeeded", metadata: ["attempt": "\(job.attempt)"])
      } else {
        logger.warning("the lease was lost; nothing was written")
      }
    } catch  where Task.isCancelled {
      // The lease was lost, or the job is handed back: neither is a failure of its own.
      logger.warning("interrupted", metadata: ["error": "\(error)"])
    } catch {
      await fail(job, error, logger)
    }
  }

  private func fail(_ job: ClaimedJob, _ error: any Error, _ logger: Logger) async {
    let verdict = FailureVerdict(error, attempt: job.attempt, of: job.maxAttempts)
    logger.warning(
      "failed",
      metadata: [
        "attempt": "\(job.attempt)", "error": "\(verdict.reason)", "dead": "\(verdict.retryAfter == nil)",
      ]
    )
    do {
      _ = try await queue.fail(job, worker: id, error: verdict.reason, retryAfter: verdict.retryAfter)
    } catch {
      // The lease runs out and the job is rescued; nothing is lost but time.
      logger.error("cannot record the failure", metadata: ["error": "\(error)"])
    }
  }

  /// Waits for what runs, at most for the grace period, then hands the rest back.
  private func drain() async {
    let deadline = ContinuousClock.now + configuration.grace
    while held.withLock({ !$0.isEmpty }), ContinuousClock.now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(20))  // cancelled: the loop's condition ends it
    }
    let rest = held.withLock { Array($0.values) }
    for held in rest { held.task.cancel() }
    guard !rest.isEmpty else { return }
    logger.warning("handing back", metadata: ["jobs": "\(rest.count)"])
    await handBack(rest.map(\.job))
  }

  private func handBack(_ jobs: [ClaimedJob]) async {
    guard !jobs.isEmpty else { return }
    // A task of its own, because it must be done after a cancellation too. Not released: the lease runs out.
    await Task { try? await queue.release(jobs, worker: id) }.value
  }

  private func beat() async {
    let holding = held.withLock { Array($0.values) }
    do {
      let kept = try await queue.heartbeat(
        worker: id,
        holding: holding.map(\.job),
        lease: configuration.lease
      )
      for lost in holding where !kept.contains(lost.job.claim) { lost.task.cancel() }
    } catch {
      logger.error("cannot say that it lives", metadata: ["error": "\(error)"])
    }
  }

  private func rescue() async {
    do {
      let freed = try await queue.rescue()
      guard freed > 0 else { return }
      logger.warning("freed jobs of a lost worker", metadata: ["jobs": "\(freed)"])
      waker.yield()
    } catch {
      logger.error("cannot look for lost jobs", metadata: ["error": "\(error)"])
    }
  }

  private func listen() async {
    for await _ in database.listen(JobBell.channel.parts) { waker.yield() }
  }

  private func repeating(every interval: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
      await body()
      try? await Task.sleep(for: interval)  // cancelled: the loop's condition ends it
    }
  }
}
