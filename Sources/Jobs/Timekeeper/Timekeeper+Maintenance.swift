internal import Logging
internal import Postgres
internal import Store

extension Timekeeper {
  /// Brings the counters of the queue up to date, unless another worker has done so within the interval. An
  /// error is logged and counted.
  func countJobs() async {
    do {
      try await database.execute(
        "select core.count_jobs(make_interval(secs => \(configuration.counting.seconds)))"
      )
    } catch {
      report("cannot bring the counts of the queue forward", error)
    }
  }

  /// Lets the planner know of tables that have grown much, as by an import. An error is logged and counted.
  func renewStatistics() async {
    do {
      try await database.execute("select core.renew_statistics()")
    } catch {
      report("cannot analyse tables that have grown", error)
    }
  }

  /// Opens coming weekly partitions of the queue and drops finished ones. Logs each step. An error is logged
  /// and counted.
  func maintainQueue() async {
    do {
      for step in try await QueueMaintenance(database).run() {
        let facts: Logger.Metadata = ["subject": "\(step.subject)", "note": "\(step.note)"]
        switch step.action {
        case .keep: logger.notice("an old week of jobs is kept", metadata: facts)
        case .open: logger.info("weeks of jobs were opened", metadata: facts)
        case .drop: logger.notice("an old week of jobs was dropped", metadata: facts)
        case .forget: logger.notice("old jobs were forgotten", metadata: facts)
        }
      }
    } catch {
      report("cannot maintain the queue", error)
    }
  }
}

/// Limits how often an operation runs: at most once per period, and for at most a twentieth of the time.
struct Turn {
  /// The earliest time of the next run; nil before the first one.
  private var next: ContinuousClock.Instant?

  /// Runs the operation if it is due, and measures how long it takes.
  mutating func take(every period: Duration, _ body: () async -> Void) async {
    let start = ContinuousClock.now
    if let next, start < next { return }
    await body()
    next = start + max(period, (ContinuousClock.now - start) * 20)
  }
}
