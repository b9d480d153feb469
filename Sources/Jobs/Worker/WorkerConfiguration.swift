/// How a worker works.
package struct WorkerConfiguration: Sendable {
  /// The queues it takes jobs from, each with its share when all have jobs.
  package var queues = ["default": 1]
  /// How many jobs it runs at once.
  package var concurrency = 8
  /// How many jobs it has claimed at most that it has not begun; how many it is depends on how quick they are.
  package var prefetch = 2_000
  /// How long a claim holds without a heartbeat; what a killed worker had runs elsewhere after this.
  package var lease: Duration = .seconds(6)
  /// How often it says that it lives.
  package var heartbeat: Duration = .seconds(2)
  /// Interval of polls for jobs that no notification announced.
  package var poll: Duration = .milliseconds(500)
  /// How long a running job may take to finish after the worker was told to stop.
  package var grace: Duration = .seconds(20)
  /// How long one attempt of a job may take, unless its handler says otherwise.
  package var timeout: Duration = .seconds(60)
  /// How long a job that was told to end may take to do so, before it is given up and its slot replaced.
  package var patience: Duration = .seconds(5)

  /// How long the database of a worker may be silent before it is asked whether it is still at work: so that a
  /// connection which is dead without a sign of it holds no loop up for long.
  package static let databasePatience: Duration = .seconds(3)

  package init() {}

  var queueNames: [String] { queues.keys.sorted() }
}
