/// The turns of jobs that a worker has claimed.
///
/// A type of its own in the module of ``RoundRobin``, so that the compiler makes one version for just these
/// items: a worker takes a hundred thousand of them a second.
package struct JobRoundRobin: Sendable {
  private var turns: RoundRobin<ClaimedJob>

  /// - Parameter weights: of queues; 1 for those not named.
  package init(weights: [String: Int]) { turns = RoundRobin(weights: weights) }

  package var isEmpty: Bool { turns.isEmpty }

  /// How many jobs there are.
  package var count: Int { turns.count }

  /// Adds a job behind those of its company.
  package mutating func add(_ job: ClaimedJob) { turns.add(job, at: job.place) }

  /// Takes the job whose turn it is.
  package mutating func next() -> ClaimedJob? { turns.next() }

  /// Takes all jobs for which the condition holds.
  package mutating func remove(where isChosen: (ClaimedJob) -> Bool) -> [ClaimedJob] {
    turns.remove(where: isChosen)
  }
}
