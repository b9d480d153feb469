package import Prometheus

/// What workers and timekeepers count, under the names by which dashboards and alerts know it.
///
/// Labels are queues, kinds and states, of which an installation has a few dozen; never companies, records or
/// jobs.
package enum JobMetricNames {
  /// Everything that a process that works exports.
  package static let all: [MetricDescription] = jobs + worker + clock + queue + pool

  private static let jobs = [
    MetricDescription("fettle_jobs_claimed_total", .counter, "Jobs that this worker claimed.", labels: lane),
    MetricDescription(
      "fettle_jobs_finished_total",
      .counter,
      "Attempts that ended here: succeeded, failed (tried again), dead, snoozed, cancelled, or interrupted.",
      labels: lane + ["outcome"]
    ),
    MetricDescription(
      "fettle_job_duration_seconds",
      .histogram,
      "How long attempts took, from the beginning to the handler's return.",
      labels: lane
    ),
    MetricDescription(
      "fettle_job_wait_seconds",
      .histogram,
      "How long jobs waited from when they were ready, each attempt again, until they were begun.",
      labels: lane
    ),
    MetricDescription(
      "fettle_jobs_rescued_total",
      .counter,
      "Jobs of workers that were taken for lost, which this one freed to run again."
    ),
  ]

  private static let worker = [
    MetricDescription(
      "fettle_claim_duration_seconds",
      .histogram,
      "How long it took to ask the database for jobs.",
      buckets: [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
    ),
    MetricDescription(
      "fettle_claim_errors_total",
      .counter,
      "How often the database could not be asked for jobs."
    ),
    MetricDescription(
      "fettle_claims_lost_total",
      .counter,
      "Claims that were taken from this worker, whose jobs run elsewhere again."
    ),
    MetricDescription("fettle_worker_slots", .gauge, "How many jobs this worker can run at once."),
    MetricDescription("fettle_worker_slots_busy", .gauge, "How many jobs it runs."),
    MetricDescription("fettle_worker_jobs_waiting", .gauge, "How many it has claimed and not begun."),
    MetricDescription("fettle_worker_ready", .gauge, "1 while it can claim jobs, 0 while it cannot."),
    MetricDescription(
      "fettle_worker_heartbeat_timestamp_seconds",
      .gauge,
      "When it last lengthened its lease, as a Unix time."
    ),
    MetricDescription(
      "fettle_worker_claim_timestamp_seconds",
      .gauge,
      "When it last asked for jobs and had an answer, as a Unix time."
    ),
    MetricDescription("fettle_build_info", .gauge, "Always 1; which fettle this is.", labels: ["version"]),
  ]

  private static let clock = [
    MetricDescription(
      "fettle_timers_total",
      .counter,
      "Timers of records that came due here: fired, void, held, refused or failed.",
      labels: ["outcome"]
    ),
    MetricDescription(
      "fettle_schedules_total",
      .counter,
      "Due times of schedules that this worker handled: enqueued, computed, held or failed.",
      labels: ["outcome"]
    ),
    MetricDescription(
      "fettle_timekeeper_errors_total",
      .counter,
      "How often a task of the timekeeper could not be done.",
      labels: ["task"]
    ),
  ]

  private static let queue = [
    MetricDescription(
      "fettle_queue_jobs",
      .gauge,
      "Jobs of all companies by state, as of the counts: queued (ready), waiting, retrying, running, dead, cancelled.",
      labels: lane + ["state"]
    ),
    MetricDescription(
      "fettle_queue_oldest_age_seconds",
      .gauge,
      "For how long the oldest job that is ready has waited; 0 when none is.",
      labels: lane
    ),
    MetricDescription("fettle_queue_paused", .gauge, "1 while workers leave it alone.", labels: lane),
    MetricDescription("fettle_workers", .gauge, "Workers that hold a lease."),
    MetricDescription(
      "fettle_queue_read_timestamp_seconds",
      .gauge,
      "When this process last read the counts of the queue, as a Unix time."
    ),
  ]

  private static let pool = [
    MetricDescription("fettle_pool_connections", .gauge, "Connections to the database.", labels: ["state"]),
    MetricDescription("fettle_pool_size", .gauge, "How many there may be."),
    MetricDescription("fettle_pool_waiting", .gauge, "Who waits for a connection."),
  ]

  private static let lane = ["queue", "kind"]
}
