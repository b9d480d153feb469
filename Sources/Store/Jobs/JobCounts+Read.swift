package import FoundationEssentials
package import Postgres

extension JobCounts {
  /// Reads the counts of one company, or of all companies if `company` is nil. Brings the counters up to date
  /// first, unless they are younger than 0.25 s.
  ///
  /// - Parameter database: connected as `fettle_admin` or `fettle_worker`.
  package static func read(company: UUID?, _ database: Database) async throws -> JobCounts {
    // Running, deferred and ended jobs are read concurrently, because they need no counters.
    async let rules = JobRules.read(database)
    async let held = database.transaction { tx in
      var table = Table()
      try addRunning(company, to: &table, tx)
      try addDeferred(company, to: &table, tx)
      return table
    }
    try await database.execute("select core.count_jobs('0.25 seconds')")
    var table = try await held
    let (queued, started) = try await database.transaction { tx in
      (try backlog(company, tx), try starts(tx))
    }
    for (queue, kind, jobs, oldest, isExact) in queued {
      table.change(queue, kind) {
        $0.queued = Count(jobs)
        $0.oldest = oldest
        $0.oldestIsExact = isExact
      }
    }
    for (queue, kind, minute, hour) in started where company == nil || table.has(queue, kind) {
      table.change(queue, kind) { $0.started = (minute, hour) }
    }
    return JobCounts(lines: table.lines(company, try await rules))
  }

  /// Collects the lines by queue and kind.
  private struct Table: Sendable {
    private var lines: [[String]: Line] = [:]

    func has(_ queue: String, _ kind: String) -> Bool { lines[[queue, kind]] != nil }

    mutating func change(_ queue: String, _ kind: String, _ body: (inout Line) -> Void) {
      body(&lines[[queue, kind], default: Line(queue: queue, kind: kind)])
    }

    func lines(_ company: UUID?, _ rules: JobRules) -> [Line] {
      lines.values
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

  private static func backlog(_ company: UUID?, _ tx: Transaction) throws
    -> [(String, String, Int, Instant?, Bool)]
  {
    try tx.rows(
      """
      select b.queue, b.kind, b.jobs, b.oldest_at, b.oldest_is_exact
      from core.jobs_backlog(\(nullable: company)::uuid) b
      """,
      String.self,
      String.self,
      Int.self,
      Instant?.self,
      Bool.self
    )
  }

  private static func addRunning(_ company: UUID?, to table: inout Table, _ tx: Transaction) throws {
    let running = try tx.rows(
      "select r.queue, r.kind, r.jobs, r.is_exact from core.jobs_running(\(nullable: company)::uuid) r",
      String.self,
      String.self,
      Int.self,
      Bool.self
    )
    for (queue, kind, jobs, isExact) in running {
      table.change(queue, kind) { $0.running = Count(jobs, isExact: isExact) }
    }
  }

  private static func addDeferred(_ company: UUID?, to table: inout Table, _ tx: Transaction) throws {
    let rows = try tx.rows(
      "select a.queue, a.kind, a.state, a.jobs, a.is_exact from core.jobs_deferred(\(nullable: company)::uuid) a",
      String.self,
      String.self,
      JobNumbers.State.self,
      Int.self,
      Bool.self
    )
    for (queue, kind, state, jobs, isExact) in rows {
      let count = Count(jobs, isExact: isExact)
      table.change(queue, kind) {
        switch state {
        case .waiting: $0.waiting = count
        case .retrying: $0.retrying = count
        case .dead: $0.dead = count
        case .cancelled: $0.cancelled = count
        case .queued, .running: break  // counted by their own functions
        }
      }
    }
  }

  private static func starts(_ tx: Transaction) throws -> [(String, String, Int, Int)] {
    try tx.rows(
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
  }
}
