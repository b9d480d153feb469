package import CoreMetrics
package import Engine
internal import FoundationEssentials
package import Logging
internal import Postgres
internal import ServiceLifecycle
internal import Store

/// Fires the timers of records and the schedules of companies when they are due. Runs beside a ``Worker``.
///
/// Any number of timekeepers run at once: each timer and each due time fires once. Due times are decided by
/// the database's clock; this process's clock decides only how often it polls.
///
/// ```swift
/// let timekeeper = Timekeeper(services, records: records, logger: logger)
/// try await timekeeper.run()
/// ```
package final class Timekeeper: Service {
  private let records: Records
  private let schedules: ScheduleKeeper
  let database: Database
  private let notifier: JobNotifier
  let configuration: TimekeeperConfiguration
  let logger: Logger
  private let meters: TimekeeperMeters?

  /// Creates a timekeeper; ``run()`` starts it.
  ///
  /// - Parameters:
  ///   - services: connected as `fettle_worker`.
  ///   - records: fires the timers of records.
  ///   - configuration: intervals.
  ///   - metrics: counts fired timers and schedules, and failed tasks; nil for no metrics.
  ///   - logger: receives a line for each fired timer and schedule.
  package init(
    _ services: Services,
    records: Records,
    configuration: TimekeeperConfiguration = TimekeeperConfiguration(),
    metrics: (any MetricsFactory)? = nil,
    logger: Logger
  ) {
    meters = metrics.map { TimekeeperMeters($0) }
    self.records = records
    self.configuration = configuration
    self.logger = logger
    database = services.database
    schedules = ScheduleKeeper(services, offset: configuration.offset)
    notifier = JobNotifier(services.database)
  }

  /// Polls until graceful shutdown or cancellation. Work in progress is then rolled back and left to another
  /// timekeeper.
  ///
  /// Errors are logged and counted, and the work is retried at a later poll; none is thrown.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      var untilReconciliation = 0
      var counted = Turn()
      var analysed = Turn()
      var maintained = Turn()
      while !Task.isCancelled {
        let isNew = await self.refresh()
        if isNew || untilReconciliation <= 0 {
          await self.reconcile()
          untilReconciliation = max(1, Int(self.configuration.reconcile / self.configuration.poll))
        }
        await self.fireAll()
        await counted.take(every: self.configuration.counting) { await self.countJobs() }
        await analysed.take(every: self.configuration.counting) { await self.renewStatistics() }
        await maintained.take(every: self.configuration.maintenance) { await self.maintainQueue() }
        untilReconciliation -= 1
        try? await Task.sleep(for: self.configuration.poll)  // cancelled: the loop's condition ends it
      }
    }
  }

  /// Fires all due timers, then all due schedules, and notifies workers if there were any. Ends early if the
  /// task is cancelled or after an error, which is logged.
  ///
  /// - Returns: the number of handled timers and due times, including those that failed, were held or
  ///   refused.
  @discardableResult
  package func fireAll() async -> Int {
    var fired = 0
    while !Task.isCancelled, await fireTimer() { fired += 1 }
    while !Task.isCancelled, await fireSchedule() { fired += 1 }
    if fired > 0 { await notifier.notify() }
    return fired
  }

  /// Adds the schedules that companies lack. An error is logged.
  package func reconcile() async {
    do {
      // One call handles at most 1,000 companies.
      while try await schedules.reconcile() == 1_000 {}
    } catch {
      report("cannot look for missing schedules", error)
    }
  }

  /// Reloads changed apps and workflows. Returns true if there were any.
  private func refresh() async -> Bool {
    do {
      let isNew = try await records.refresh()
      if isNew { logger.notice("apps or workflows changed and were reloaded") }
      return isNew
    } catch {
      report("cannot look for changed apps", error)
      return false
    }
  }

  /// Fires the next due timer. Returns false if none is due or after an error.
  private func fireTimer() async -> Bool {
    do {
      guard let fired = try await records.fireNextTimer() else { return false }
      let facts: Logger.Metadata = [
        "type": "\(fired.timer.recordType)", "record": "\(fired.timer.recordID.uuidString.lowercased())",
        "fire": "\(fired.timer.fire)",
      ]
      meters?.count(fired.outcome)
      switch fired.outcome {
      case .fired: logger.info("timer fired", metadata: facts)
      case .void: logger.debug("timer void: the record has moved on", metadata: facts)
      case .held: logger.info("timers held: the company is not active", metadata: facts)
      case .refused(let code):
        logger.notice("timer refused", metadata: facts.merging(["code": "\(code)"]) { $1 })
      case .failed(let reason):
        logger.error("timer failed", metadata: facts.merging(["error": "\(reason)"]) { $1 })
      }
      return true
    } catch {
      report("cannot fire timers", error)
      return false
    }
  }

  /// Fires the next due schedule. Returns false if none is due or after an error.
  private func fireSchedule() async -> Bool {
    do {
      guard let fired = try await schedules.fireNext() else { return false }
      let facts: Logger.Metadata = ["schedule": "\(fired.schedule.name)"]
      meters?.count(fired.outcome)
      switch fired.outcome {
      case .enqueued: logger.info("schedule fired", metadata: facts)
      case .computed: logger.debug("schedule computed", metadata: facts)
      case .held: logger.info("schedules held: the company is not active", metadata: facts)
      case .failed(let reason):
        logger.error("schedule failed", metadata: facts.merging(["error": "\(reason)"]) { $1 })
      }
      return true
    } catch {
      report("cannot fire schedules", error)
      return false
    }
  }

  /// Logs and counts an error, unless the task was cancelled.
  func report(_ what: Logger.Message, _ error: any Error) {
    guard !(error is CancellationError) else { return }
    meters?.failed(what)
    logger.error(what, metadata: ["error": "\(error)"])
  }
}
