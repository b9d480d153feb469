internal import Store

/// The jobs that a worker has claimed and not started, in execution order.
struct JobBuffer {
  private var jobs: JobRoundRobin
  /// The low-water mark.
  private var lowWater = 1
  /// True if the buffer is below the mark and this was reported.
  private var isLow = true
  /// Number of jobs taken to run so far; the worker's pace is computed from it.
  private(set) var taken = 0

  /// - Parameter weights: weights by queue; 1 for other queues.
  init(weights: [String: Int]) { jobs = JobRoundRobin(weights: weights) }

  /// Number of jobs in the buffer.
  var count: Int { jobs.count }

  /// True if there are no jobs in the buffer.
  var isEmpty: Bool { jobs.isEmpty }

  /// Adds claimed jobs.
  mutating func add(_ new: [ClaimedJob]) {
    for job in new { jobs.add(job) }
  }

  /// Sets the low-water mark: below this number of jobs, more are claimed.
  mutating func setLowWater(_ level: Int) {
    lowWater = level
    isLow = jobs.count < level
  }

  /// Takes the next job to run; nil if there is none. Drops jobs whose lease was lost.
  mutating func next() -> ClaimedJob? {
    while let job = jobs.next() {
      guard !job.isLost else { continue }
      taken += 1
      return job
    }
    return nil
  }

  /// Returns true once after the buffer has fallen below the low-water mark.
  mutating func hasFallenLow() -> Bool {
    guard !isLow, jobs.count < lowWater else { return false }
    isLow = true
    return true
  }

  /// Removes and returns the jobs for which the condition holds.
  mutating func remove(where isChosen: (ClaimedJob) -> Bool) -> [ClaimedJob] {
    jobs.isEmpty ? [] : jobs.remove(where: isChosen)
  }
}
