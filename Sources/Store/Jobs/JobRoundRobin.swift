/// The jobs that a worker has claimed, in round-robin order.
///
/// A separate type in the module of ``RoundRobin``, so that the compiler specializes the generic code for
/// jobs: a worker takes a hundred thousand jobs a second.
package struct JobRoundRobin: Sendable {
  private var turns: RoundRobin<ClaimedJob>

  /// - Parameter weights: the weights of queues by name, at least 1; 1 for all other queues.
  package init(weights: [String: Int]) { turns = RoundRobin(weights: weights) }

  package var isEmpty: Bool { turns.isEmpty }

  /// The number of jobs.
  package var count: Int { turns.count }

  /// Adds a job behind the others of its company.
  package mutating func add(_ job: ClaimedJob) { turns.add(job, at: job.place) }

  /// Removes and returns the next job; nil if there are none.
  package mutating func next() -> ClaimedJob? { turns.next() }

  /// Removes and returns all jobs that meet the condition.
  package mutating func remove(where isChosen: (ClaimedJob) -> Bool) -> [ClaimedJob] {
    turns.remove(where: isChosen)
  }
}
