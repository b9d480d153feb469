package import Postgres

/// The number of jobs of each queue and kind, by state.
package struct JobCounts: Sendable {
  /// A number of jobs, which may be a lower or upper bound where counting would take long.
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

  /// One queue and kind.
  package struct Line: Sendable {
    package let queue: String
    package let kind: String
    /// Ready and not claimed.
    package var queued = Count()
    /// Enqueued for later.
    package var waiting = Count()
    /// Failed, to be retried when due.
    package var retrying = Count()
    /// Claimed by a worker.
    package var running = Count()
    package var dead = Count()
    package var cancelled = Count()
    /// The time since which the oldest ready job has waited.
    package var oldest: Timestamp?
    /// False if a job may have waited for longer.
    package var oldestIsExact = true
    /// The number of jobs started in the last minute and in the last hour, for all companies.
    package var started: (minute: Int, hour: Int) = (0, 0)
    /// True if workers claim none of its jobs.
    package var isPaused = false
  }

  /// By queue and kind.
  package let lines: [Line]

  /// Returns the sum over all lines.
  package func total(_ count: KeyPath<Line, Count>) -> Count {
    lines.map { $0[keyPath: count] }.reduce(Count(), +)
  }
}
