internal import Logging
internal import Postgres
internal import Store

extension Timekeeper {
  /// Brings the counts of the queue forward, unless another worker has just done so.
  func countJobs() async {
    do {
      try await database.execute(
        "select core.count_jobs(make_interval(secs => \(configuration.counting.seconds)))"
      )
    } catch {
      report("cannot bring the counts of the queue forward", error)
    }
  }

  /// Opens the weeks of the queue that come, and drops those that are done with.
  func maintainQueue() async {
    do {
      for step in try await QueueMaintenance(database).run() {
        let facts: Logger.Metadata = ["subject": "\(step.subject)", "note": "\(step.note)"]
        switch step.action {
        case "keep": logger.notice("an old week of jobs is kept", metadata: facts)
        case "open": logger.info("weeks of jobs were opened", metadata: facts)
        case "drop": logger.notice("an old week of jobs was dropped", metadata: facts)
        default: logger.notice("old jobs were forgotten", metadata: facts)
        }
      }
    } catch {
      report("cannot maintain the queue", error)
    }
  }
}

/// When something is done again: after its time, and never for more than a twentieth of the time.
struct Turn {
  private var next: ContinuousClock.Instant?

  mutating func take(every period: Duration, _ body: () async -> Void) async {
    let start = ContinuousClock.now
    if let next, start < next { return }
    await body()
    next = start + max(period, (ContinuousClock.now - start) * 20)
  }
}
