package import Postgres

/// How much of each queue and kind there is, in which state.
package struct JobCounts: Sendable {
  /// A number of jobs that may be a lower or upper bound where counting would take long.
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
    /// Failed, to be tried again when its time comes.
    package var retrying = Count()
    /// In the hands of a worker.
    package var running = Count()
    package var dead = Count()
    package var cancelled = Count()
    /// Since when the oldest that is ready has waited.
    package var oldest: Timestamp?
    /// Whether none can have waited for longer.
    package var oldestIsExact = true
    /// How many were begun in the last minute, and in the last hour, of all companies.
    package var started: (minute: Int, hour: Int) = (0, 0)
    /// Whether workers leave it alone.
    package var isPaused = false
  }

  /// By queue and kind.
  package let lines: [Line]

  /// Everything together.
  package func total(_ count: KeyPath<Line, Count>) -> Count {
    lines.map { $0[keyPath: count] }.reduce(Count(), +)
  }
}
