/// Queues, limits and intervals of a worker.
///
/// ```swift
/// var configuration = WorkerConfiguration()
/// configuration.queues = ["default": 3, "push": 1]
/// configuration.concurrency = 16
/// ```
///
/// A ``Worker`` copies its configuration: later changes have no effect on that worker.
package struct WorkerConfiguration: Sendable {
  /// The queues that the worker claims from, each with its weight, at least 1. While all queues have jobs of
  /// the same priority, they are served in proportion to their weights. Default: `default` only.
  package var queues = ["default": 1]
  /// Maximum number of jobs that run at the same time, at least 1, without those in ``places``. Default: 8.
  package var concurrency = 8
  /// Maximum number of jobs that wait for servers of customers at the same time, beside the slots; see
  /// ``JobHandler/waitsOutside``. Default: ``defaultPlaces``.
  package var places = WorkerConfiguration.defaultPlaces
  /// 64: each costs a thread that waits, and some memory.
  package static let defaultPlaces = 64
  /// Upper limit for the target size of the buffer of claimed jobs that have not started. The worker aims at
  /// 40 milliseconds of work, so the buffer is empty while jobs take long. Default: 2,000 jobs.
  package var prefetch = 2_000
  /// Time until claims expire without a heartbeat. The jobs of a killed worker run elsewhere after this time.
  /// A worker starts no job when nine tenths of it have passed since its last successful heartbeat. Default:
  /// 6 seconds.
  package var lease: Duration = .seconds(6)
  /// Interval of heartbeats and of searches for lost workers; less than half the ``lease``. Default: 2
  /// seconds.
  package var heartbeat: Duration = .seconds(2)
  /// Interval of polls for jobs that no notification announced, such as deferred jobs that are due. Default:
  /// 500 milliseconds.
  package var poll: Duration = .milliseconds(500)
  /// Time that running jobs get to finish after the worker was told to stop; then they are cancelled and
  /// handed back. Default: 20 seconds.
  package var grace: Duration = .seconds(20)
  /// Time limit of an attempt, unless ``JobHandler/timeout`` is set. Checked every 50 milliseconds. Default:
  /// 60 seconds.
  package var timeout: Duration = .seconds(60)
  /// Time that a job gets to end after its task was cancelled. After that, its slot is replaced, a timeout or
  /// cancellation is written as its outcome, and its own result is ignored. Default: 5 seconds.
  package var cancellationTimeout: Duration = .seconds(5)

  /// Time without a response after which a worker's database connection is probed, so that a dead connection
  /// does not block a loop for long: 3 seconds. For `Database.Configuration.probeAfter`.
  package static let databaseProbeAfter: Duration = .seconds(3)

  /// Creates a configuration with the defaults.
  package init() {}

  /// The names of the queues, in alphabetical order.
  var queueNames: [String] { queues.keys.sorted() }
}
