/// Queues, limits and intervals of a worker.
package struct WorkerConfiguration: Sendable {
  /// Queues that the worker claims from, with the weight of each when all have jobs.
  package var queues = ["default": 1]
  /// Number of jobs that run at the same time.
  package var concurrency = 8
  /// Maximum number of claimed jobs that have not started. The actual number depends on how quickly jobs run.
  package var prefetch = 2_000
  /// Time until claims expire without a heartbeat. The jobs of a killed worker run elsewhere after this time.
  package var lease: Duration = .seconds(6)
  /// Interval of heartbeats.
  package var heartbeat: Duration = .seconds(2)
  /// Interval of polls for jobs that no notification announced.
  package var poll: Duration = .milliseconds(500)
  /// Time that running jobs get to finish after the worker is told to stop.
  package var grace: Duration = .seconds(20)
  /// Time limit of an attempt, unless the handler has its own.
  package var timeout: Duration = .seconds(60)
  /// Time that a job gets to end after it was told to, before its slot is replaced.
  package var patience: Duration = .seconds(5)

  /// Time without a response after which a worker's database connection is probed, so that a dead connection
  /// does not block a loop for long.
  package static let databasePatience: Duration = .seconds(3)

  package init() {}

  var queueNames: [String] { queues.keys.sorted() }
}
