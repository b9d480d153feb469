internal import CoreMetrics
internal import Store
internal import Synchronization

/// The metrics of a worker, by queue and kind of job.
///
/// They are made at the first job of a kind, so that counting a job is a lookup and an addition.
final class JobMeters: Sendable {
  /// The outcome of an attempt.
  enum Outcome: String, CaseIterable {
    case succeeded, failed, dead, snoozed, cancelled, interrupted
  }

  /// The metrics of one queue and kind.
  final class OfKind: Sendable {
    let claimed: Counter
    let duration: Recorder
    let wait: Recorder
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

    func end(_ outcome: Outcome) { finished[outcome]?.increment() }
  }

  private struct Key: Hashable {
    let kind: String
    let queue: String
  }

  let claimErrors: Counter
  let claimsLost: Counter
  let rescued: Counter
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

  /// Counts claimed jobs, which mostly come in runs of one kind.
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
