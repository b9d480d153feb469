/// How a worker works.
package struct WorkerConfiguration: Sendable {
  /// The queues it takes jobs from.
  package var queues = ["default"]
  /// How many jobs it runs at once.
  package var concurrency = 8
  /// How long a claim holds without a heartbeat; what a killed worker had runs elsewhere after this.
  package var lease: Duration = .seconds(6)
  /// How often it says that it lives.
  package var heartbeat: Duration = .seconds(2)
  /// How often it looks for work that no notification announced.
  package var poll: Duration = .milliseconds(500)
  /// How long a running job may take to finish after the worker was told to stop.
  package var grace: Duration = .seconds(20)
  /// How long one attempt of a job may take.
  package var timeout: Duration = .seconds(60)

  package init() {}
}
