package import Prometheus

/// The metrics of workers and timekeepers, under the names that dashboards and alerts use.
///
/// Labels are queues, kinds, states, outcomes and tasks: a few dozen values in an installation. Companies,
/// records and jobs are never labels.
package enum JobMetricNames {
  /// The descriptions of all metrics that a working process exports, for the Prometheus exporter.
  package static let all: [MetricDescription] = jobs + worker + clock + queue + sync + pool

  private static let jobs = [
    MetricDescription("fettle_jobs_claimed_total", .counter, "Jobs that this worker claimed.", labels: lane),
    MetricDescription(
      "fettle_jobs_finished_total",
      .counter,
      "Attempts on this worker: succeeded, failed (retried), dead, snoozed, cancelled, or interrupted.",
      labels: lane + ["outcome"]
    ),
    MetricDescription(
      "fettle_job_duration_seconds",
      .histogram,
      "Duration of attempts, from their start to the handler's return.",
      labels: lane
    ),
    MetricDescription(
      "fettle_job_wait_seconds",
      .histogram,
      "Time from when a job is ready until it starts, for each attempt.",
      labels: lane
    ),
    MetricDescription(
      "fettle_jobs_rescued_total",
      .counter,
      "Jobs of lost workers that this worker rescued."
    ),
  ]

  private static let worker = [
    MetricDescription(
      "fettle_claim_duration_seconds",
      .histogram,
      "Duration of claims.",
      buckets: [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30]
    ),
    MetricDescription(
      "fettle_claim_errors_total",
      .counter,
      "Polls and claims that failed."
    ),
    MetricDescription(
      "fettle_claims_lost_total",
      .counter,
      "Claims that this worker lost; their jobs run again elsewhere."
    ),
    MetricDescription("fettle_worker_slots", .gauge, "Maximum number of jobs that this worker runs at once."),
    MetricDescription("fettle_worker_slots_busy", .gauge, "Jobs that this worker is running."),
    MetricDescription("fettle_worker_jobs_waiting", .gauge, "Jobs claimed but not started."),
    MetricDescription("fettle_worker_ready", .gauge, "1 if this worker can claim jobs, else 0."),
    MetricDescription(
      "fettle_worker_heartbeat_timestamp_seconds",
      .gauge,
      "Unix time of the last successful heartbeat."
    ),
    MetricDescription(
      "fettle_worker_claim_timestamp_seconds",
      .gauge,
      "Unix time of the last answered poll or claim."
    ),
    MetricDescription("fettle_build_info", .gauge, "Always 1, with the version.", labels: ["version"]),
  ]

  /// The metrics of timekeepers.
  private static let clock = [
    MetricDescription(
      "fettle_timers_total",
      .counter,
      "Timers of records that this worker handled: fired, void, held, refused or failed.",
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
      "Tasks of the timekeeper that failed.",
      labels: ["task"]
    ),
  ]

  /// The metrics of ``QueueGauges``, the same in each process.
  private static let queue = [
    MetricDescription(
      "fettle_queue_jobs",
      .gauge,
      "Jobs of all companies by state: queued (ready), waiting, retrying, running, dead, cancelled.",
      labels: lane + ["state"]
    ),
    MetricDescription(
      "fettle_queue_oldest_age_seconds",
      .gauge,
      "Time for which the oldest ready job has waited; 0 if there is none.",
      labels: lane
    ),
    MetricDescription("fettle_queue_paused", .gauge, "1 if paused, else 0.", labels: lane),
    MetricDescription("fettle_workers", .gauge, "Workers with a valid lease."),
    MetricDescription(
      "fettle_queue_read_timestamp_seconds",
      .gauge,
      "Unix time at which this process last read the counters of the queue."
    ),
  ]

  /// The metrics of ``SyncGauges``, the same in each process.
  private static let sync = [
    MetricDescription(
      "fettle_sync_devices",
      .gauge,
      "Devices of all companies that were seen in 180 days and are not revoked."
    ),
    MetricDescription("fettle_sync_devices_behind", .gauge, "Devices that lack changes."),
    MetricDescription(
      "fettle_sync_oldest_pending_seconds",
      .gauge,
      "Age of the oldest change that waits on a device, as the devices said last; 0 if none waits."
    ),
    MetricDescription(
      "fettle_sync_changes_waiting",
      .gauge,
      "Changes that wait on devices (pending), and for a person (conflict, failed).",
      labels: ["status"]
    ),
    MetricDescription(
      "fettle_sync_undecided_seconds",
      .gauge,
      "Time for which the oldest conflict or failed change has waited for a person; 0 if none waits."
    ),
  ]

  /// The metrics of a connection pool.
  package static let pool = [
    MetricDescription("fettle_pool_connections", .gauge, "Connections to the database.", labels: ["state"]),
    MetricDescription("fettle_pool_size", .gauge, "Maximum number of connections."),
    MetricDescription("fettle_pool_waiting", .gauge, "Tasks that wait for a connection."),
  ]

  /// The metrics that `fettle backup metrics` writes for a node exporter.
  package static let backups = [
    MetricDescription(
      "fettle_backup_timestamp_seconds",
      .gauge,
      "Unix time of the newest backup of a kind: full, incremental or dump; 0 if there is none.",
      labels: ["kind"]
    ),
    MetricDescription(
      "fettle_backup_test_timestamp_seconds",
      .gauge,
      "Unix time of the last tested restore that found no difference; 0 if there is none."
    ),
    MetricDescription(
      "fettle_backup_on_data_disk",
      .gauge,
      "1 if the backups are on the disk of the data, else 0."
    ),
    MetricDescription(
      "fettle_backup_archive_failing",
      .gauge,
      "1 if the log is not archived or the last attempt failed, else 0; absent for dumps."
    ),
    MetricDescription(
      "fettle_backup_archive_age_seconds",
      .gauge,
      "Time since the log was archived last; absent for dumps."
    ),
    MetricDescription(
      "fettle_backup_archive_waiting_bytes",
      .gauge,
      "Bytes of the log that wait for the archive; absent for dumps."
    ),
    MetricDescription(
      "fettle_backup_read_timestamp_seconds",
      .gauge,
      "Unix time at which these values were read."
    ),
  ]

  /// The labels of metrics by lane. Not by company, to keep the number of time series small.
  private static let lane = ["queue", "kind"]
}
