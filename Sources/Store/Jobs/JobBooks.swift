package import FoundationEssentials
package import Postgres

/// How much of each queue and kind there is, in which state.
package struct JobBooks: Sendable {
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

  /// Reads the books, of one company or of all, after bringing them forward unless that was done a moment ago.
  ///
  /// - Parameter database: connected as `fettle_admin` or `fettle_worker`.
  package static func read(company: UUID?, _ database: Database) async throws -> JobBooks {
    try await database.execute("select core.tally_jobs('0.25 seconds')")
    let rules = try await JobRules.read(database)
    return try await database.transaction { tx in
      JobBooks(lines: try lines(company: company, rules, tx))
    }
  }

  private static func lines(company: UUID?, _ rules: JobRules, _ tx: Transaction) throws -> [Line] {
    var table: [[String]: Line] = [:]
    func change(_ queue: String, _ kind: String, _ body: (inout Line) -> Void) {
      body(&table[[queue, kind], default: Line(queue: queue, kind: kind)])
    }
    let backlog = try tx.rows(
      """
      select b.queue, b.kind, b.jobs, b.oldest_at, b.oldest_is_exact
      from core.jobs_backlog(\(nullable: company)::uuid) b
      """,
      String.self,
      String.self,
      Int.self,
      Timestamp?.self,
      Bool.self
    )
    for (queue, kind, jobs, oldest, isExact) in backlog {
      change(queue, kind) {
        $0.queued = Count(jobs)
        $0.oldest = oldest
        $0.oldestIsExact = isExact
      }
    }
    let running = try tx.rows(
      "select r.queue, r.kind, r.jobs, r.is_exact from core.jobs_running(\(nullable: company)::uuid) r",
      String.self,
      String.self,
      Int.self,
      Bool.self
    )
    for (queue, kind, jobs, isExact) in running {
      change(queue, kind) { $0.running = Count(jobs, isExact: isExact) }
    }
    let aside = try tx.rows(
      "select a.queue, a.kind, a.state, a.jobs, a.is_exact from core.jobs_set_aside(\(nullable: company)::uuid) a",
      String.self,
      String.self,
      String.self,
      Int.self,
      Bool.self
    )
    for (queue, kind, state, jobs, isExact) in aside {
      let count = Count(jobs, isExact: isExact)
      change(queue, kind) {
        switch state {
        case "waiting": $0.waiting = count
        case "retrying": $0.retrying = count
        case "dead": $0.dead = count
        default: $0.cancelled = count
        }
      }
    }
    let pace = try tx.rows(
      """
      select h.queue, h.kind, coalesce(m.started, 0), h.started
      from core.jobs_pace('1 hour') h
      left join core.jobs_pace('1 minute') m on m.queue = h.queue and m.kind = h.kind
      """,
      String.self,
      String.self,
      Int.self,
      Int.self
    )
    for (queue, kind, minute, hour) in pace where company == nil || table[[queue, kind]] != nil {
      change(queue, kind) { $0.started = (minute, hour) }
    }
    return table.values
      .map { line in
        var line = line
        line.isPaused = rules.isPaused(
          company: company ?? JobRules.everyCompany,
          queue: line.queue,
          kind: line.kind
        )
        return line
      }
      .sorted { ($0.queue, $0.kind) < ($1.queue, $1.kind) }
  }
}
