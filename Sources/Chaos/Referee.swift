internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import Synchronization

/// A violated guarantee of the queue.
struct ViolatedGuarantee: Error, CustomStringConvertible {
  let guarantee: String
  let detail: String

  var description: String { "\(guarantee): \(detail)" }
}

/// Checks the guarantees of the queue in its tables and in the log file.
struct Referee: Sendable {
  let arena: Arena

  /// The maximum time for which claims may stay with a worker after its lease has expired.
  static let maximumDelay: Duration = .seconds(10)

  /// Returns the jobs that have not ended; if all have ended, the jobs enqueued by them that have not.
  func open(_ jobs: [PlacedJob]) async throws -> [(id: UUID, state: String)] {
    try await arena.superuser.transaction { tx in
      let open = try Self.open(jobs.map { ($0.company.id, $0.id) }, tx)
      // An open job may still enqueue another, so the enqueued jobs are read only after all jobs have ended.
      guard open.isEmpty else { return open }
      let companies = Dictionary(jobs.map { ($0.id, $0.company.id) }) { first, _ in first }
      let children = try tx.rows(
        "select e.job_id, e.child from chaos.effect e where e.job_id = any (\(jobs.map(\.id))) and e.child is not null",
        UUID.self,
        UUID.self
      )
      return try Self.open(children.compactMap { parent, child in companies[parent].map { ($0, child) } }, tx)
    }
  }

  /// Returns those of the jobs that have not ended. Looks them up one by one, since job lists are read by
  /// lane.
  private static func open(_ jobs: [(company: UUID, id: UUID)], _ tx: Transaction) throws -> [(
    id: UUID, state: String
  )] {
    try jobs.compactMap { company, id in
      let state = try JobListing.find(company: company, id: id, tx)?.state
      return state?.isFinished == true ? nil : (id, state?.rawValue ?? "nowhere")
    }
  }

  /// Returns the longest time since the expiry of a lease whose worker still has claims.
  ///
  /// - Throws: ``ViolatedGuarantee`` if that is ``maximumDelay`` or longer.
  func overdue() async throws -> Duration {
    let seconds = try await arena.superuser.value(
      """
      select coalesce(max(extract(epoch from clock_timestamp()
          - greatest(w.lease_until, w.heartbeat_at, pg_postmaster_start_time()))), 0)::float8
      from core.worker w
      where w.lease_until < clock_timestamp() and exists (
        select from core.job_claim c
        where c.company_id = any (\(arena.companies.map(\.id))) and c.worker_id = w.id and c.batch >= w.oldest_batch
          and not exists (
          select from core.job_ack s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no))
      """,
      as: Double.self
    )
    let overdue = Duration.seconds(seconds)
    guard overdue < Self.maximumDelay else {
      throw ViolatedGuarantee(
        guarantee: "jobs of a lost worker are rescued",
        detail: "not within \(seconds) seconds"
      )
    }
    return overdue
  }

  /// Checks the guarantees for jobs that have ended.
  ///
  /// - Parameter traces: the log entries of each job.
  /// - Returns: the number of attempts per outcome.
  /// - Throws: ``ViolatedGuarantee``.
  func judge(_ jobs: [PlacedJob], _ traces: [UUID: OutsideReader.Trace]) async throws -> [String: Int] {
    let ids = jobs.map(\.id)
    let written = try await arena.superuser.rows(
      "select e.job_id, count(*)::int from chaos.effect e where e.job_id = any (\(ids)) group by e.job_id",
      UUID.self,
      Int.self
    )
    let effects = Dictionary(written.map { ($0, $1) }) { first, _ in first }
    var counts: [String: Int] = [:]
    for job in jobs {
      let (end, attempts) = try await arena.superuser.transaction(.inside(job.company.id)) { tx in
        (
          try JobListing.find(company: job.company.id, id: job.id, tx),
          try JobListing.attempts(company: job.company.id, id: job.id, tx)
        )
      }
      guard let end else { throw ViolatedGuarantee(guarantee: "no job is lost", detail: "\(job.id)") }
      let outcomes = attempts.map { (number: $0.attempt, outcome: $0.outcome) }
      for attempt in outcomes { counts[attempt.outcome?.rawValue ?? "none", default: 0] += 1 }
      try Verdict(job: job, attempts: outcomes, trace: traces[job.id]).check(
        state: end.state,
        attempt: end.attempt,
        effects: effects[job.id] ?? 0
      )
    }
    try await checkKeys(ids)
    try await checkChildren(ids)
    return counts
  }

  /// Runs the checks of `fettle verify`.
  ///
  /// - Throws: ``ViolatedGuarantee`` for the first finding.
  func verify() async throws {
    let catalogue = try await Records.open(arena.services).catalogue
    let report = try await Verification(arena.services, catalogue: catalogue).run(arena.companies)
    guard let first = report.findings.first else { return }
    throw ViolatedGuarantee(
      guarantee: "fettle verify finds nothing",
      detail: "\(first.code.rawValue), \(first.what) (\(report.findings.count) findings)"
    )
  }

  private func checkKeys(_ ids: [UUID]) async throws {
    let held = try await arena.superuser.value(
      """
      select count(*)::int from core.job_key k
      where k.company_id = any (\(arena.companies.map(\.id))) and k.job_id = any (\(ids))
      """,
      as: Int.self
    )
    guard held == 0 else {
      throw ViolatedGuarantee(guarantee: "an ended job holds no unique key", detail: "\(held) ended jobs do")
    }
  }

  private func checkChildren(_ ids: [UUID]) async throws {
    let odd = try await arena.superuser.rows(
      """
      select e.child, (select count(*) from chaos.effect o where o.job_id = e.child)::int
      from chaos.effect e
      where e.job_id = any (\(ids)) and e.child is not null
        and (select count(*) from chaos.effect o where o.job_id = e.child) <> 1
      """,
      UUID.self,
      Int.self
    )
    guard let (child, effects) = odd.first else { return }
    throw ViolatedGuarantee(
      guarantee: "a job that another job enqueued takes effect once",
      detail: "\(child) took effect \(effects) times"
    )
  }
}

/// The checks of one job.
struct Verdict {
  let job: PlacedJob
  let attempts: [(number: Int, outcome: AttemptOutcome?)]
  let trace: OutsideReader.Trace?

  func check(state: JobState, attempt: Int, effects: Int) throws {
    let deed = job.plan.deed
    try require(state == deed.end, "every job ends in its expected state", "it is \(state.rawValue)")
    try require(effects == deed.effects, "a job takes effect once", "it took effect \(effects) times")
    let numbers = attempts.map(\.number)
    try require(
      attempt > 0 && numbers == Array(1...attempt),
      "every attempt is recorded once",
      "the last attempt is \(attempt), and the recorded attempts are \(numbers)"
    )
    let outcomes = attempts.map(\.outcome)
    let named = outcomes.map { $0?.rawValue ?? "none" }
    try require(
      outcomes.count { $0 == .succeeded } == (deed.end == .succeeded ? 1 : 0)
        && (deed.end == .dead || (outcomes.last ?? nil) == .succeeded),
      "a job succeeds once, in its last attempt",
      "its attempts: \(named)"
    )
    try require(
      outcomes.allSatisfy { $0 == .succeeded || $0 == .failed || $0 == .lost },
      "every attempt has an outcome",
      "its attempts: \(named)"
    )
    if deed == .crash {
      try require(
        attempt == job.plan.maxAttempts,
        "a poison job is dead after its last attempt",
        "it is dead after attempt \(attempt) of \(job.plan.maxAttempts)"
      )
    }
    let begun = trace?.begun ?? 0
    // A worker may be killed after it recorded the start of a job and before it called the handler.
    try require(
      ((deed == .crash ? 0 : 1)...attempt).contains(begun),
      "every started attempt is recorded",
      "attempt \(begun) was started, and the last recorded attempt is \(attempt)"
    )
    if deed == .outside {
      let keys = trace?.keys ?? []
      try require(
        keys == ["job:\(job.id.uuidString.lowercased())"],
        "effects of a job outside the database have one idempotency key",
        "\(keys.sorted())"
      )
    }
  }

  private func require(_ holds: Bool, _ guarantee: String, _ detail: String) throws {
    guard !holds else { return }
    let name = "\(job.plan.deed.kind) \(job.id.uuidString.lowercased()) of \(job.company.slug)"
    throw ViolatedGuarantee(guarantee: guarantee, detail: "\(detail) (\(name))")
  }
}
