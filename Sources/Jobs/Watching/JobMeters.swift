internal import CoreMetrics
internal import Store
internal import Synchronization

/// The metrics of a worker, by queue and kind of job.
///
/// The metrics of a kind are created at its first job, so that counting a job is a lookup and an addition.
/// Safe on any thread.
final class JobMeters: Sendable {
  /// The outcome of an attempt, as the label `outcome`. `failed`: the job is retried. `dead`: no attempt
  /// follows. `interrupted`: nothing was written, because the lease was lost, the job was handed back, or the
  /// write failed.
  enum Outcome: String, CaseIterable {
    case succeeded, failed, dead, snoozed, cancelled, interrupted
  }

  /// The metrics of one queue and kind.
  final class OfKind: Sendable {
    /// Jobs claimed.
    let claimed: Counter
    /// Seconds from the start of an attempt to the handler's return.
    let duration: Recorder
    /// Seconds from the time at which a job was ready to its start.
    let wait: Recorder
    /// Attempts that ended, by outcome.
    private let finished: [Outcome: Counter]

    init(queue: String, kind: String, _ factory: any MetricsFactory) {
      let labels = [("queue", queue), ("kind", kind)]
      claimed = Counter(label: "fettle_jobs_claimed_total", dimensions: labels, factory: factory)
      wait = Recorder(
        label: "fettle_job_wait_seconds",
        dimensions: labels,
        aggregate: true,
        factory: factory
      )
      duration = Recorder(
        label: "fettle_job_duration_seconds",
        dimensions: labels,
        aggregate: true,
        factory: factory
      )
      // All outcomes from the start, so that rate() sees the first failure as a step from 0.
      finished = Dictionary(
        uniqueKeysWithValues: Outcome.allCases.map { outcome in
          let labels = labels + [("outcome", outcome.rawValue)]
          return (outcome, Counter(label: "fettle_jobs_finished_total", dimensions: labels, factory: factory))
        }
      )
    }

    /// Counts the end of an attempt.
    func end(_ outcome: Outcome) { finished[outcome]?.increment() }
  }

  /// The labels of the metrics of a kind.
  private struct Key: Hashable {
    let kind: String
    let queue: String
  }

  /// Polls and claims that failed.
  let claimErrors: Counter
  /// Claims whose acknowledgement came after another worker had rescued their jobs.
  let claimsLost: Counter
  /// Jobs of lost workers that this worker rescued.
  let rescued: Counter
  /// Seconds per claim that sent a query.
  let claimDuration: Recorder
  private let factory: any MetricsFactory
  private let kinds = Mutex<[Key: OfKind]>([:])

  init(_ factory: any MetricsFactory) {
    self.factory = factory
    claimErrors = Counter(label: "fettle_claim_errors_total", dimensions: [], factory: factory)
    claimsLost = Counter(label: "fettle_claims_lost_total", dimensions: [], factory: factory)
    rescued = Counter(label: "fettle_jobs_rescued_total", dimensions: [], factory: factory)
    claimDuration = Recorder(
      label: "fettle_claim_duration_seconds",
      dimensions: [],
      aggregate: true,
      factory: factory
    )
  }

  /// Returns the metrics of a job's queue and kind.
  func of(_ job: ClaimedJob) -> OfKind {
    let key = Key(kind: job.kind, queue: job.queue)
    return kinds.withLock { kinds in
      if let known = kinds[key] { return known }
      let new = OfKind(queue: job.queue, kind: job.kind, factory)
      kinds[key] = new
      return new
    }
  }

  /// Counts claimed jobs. Consecutive jobs of a lane are counted in one step.
  func claimed(_ jobs: [ClaimedJob]) {
    var run: (first: ClaimedJob, count: Int)?
    for job in jobs {
      if let current = run, current.first.lane == job.lane {
        run = (current.first, current.count + 1)
      } else {
        if let run { of(run.first).claimed.increment(by: run.count) }
        run = (job, 1)
      }
    }
    if let run { of(run.first).claimed.increment(by: run.count) }
  }
}
