package import Postgres

/// The number of jobs of each queue and kind, by state.
package struct JobCounts: Sendable {
  /// A number of jobs. Where exact counting would take too long, it is a lower or an upper bound.
  package struct Count: Sendable, Hashable {
    package var jobs = 0
    package var isExact = true

    package init(_ jobs: Int = 0, isExact: Bool = true) {
      self.jobs = jobs
      self.isExact = isExact
    }

    package static func + (a: Count, b: Count) -> Count {
      Count(a.jobs + b.jobs, isExact: a.isExact && b.isExact)
    }
  }

  /// The counts of one queue and kind.
  package struct Line: Sendable {
    package let queue: String
    package let kind: String
    /// Jobs that are ready and not claimed.
    package var queued = Count()
    /// Jobs that are scheduled for later.
    package var waiting = Count()
    /// Failed jobs that will be retried when they are due.
    package var retrying = Count()
    /// Jobs that a worker has claimed.
    package var running = Count()
    package var dead = Count()
    package var cancelled = Count()
    /// The time since which the oldest ready job has waited; nil if no job is ready.
    package var oldest: Instant?
    /// False if another ready job may have waited for longer.
    package var oldestIsExact = true
    /// The number of jobs of all companies that were started in the last minute and in the last hour.
    package var started: (minute: Int, hour: Int) = (0, 0)
    /// True if a pause keeps workers from claiming these jobs.
    package var isPaused = false
  }

  /// The lines, sorted by queue, then by kind.
  package let lines: [Line]

  /// Returns the sum over all lines.
  package func total(_ count: KeyPath<Line, Count>) -> Count {
    lines.map { $0[keyPath: count] }.reduce(Count(), +)
  }
}
