internal import Domain
internal import FoundationEssentials
internal import Postgres

/// Checks workers, jobs and weekly partitions. Uses the counters, which answer at once however many jobs
/// there are.
struct QueueHealth: Sendable {
  /// The longest time that a ready job should wait while workers are running.
  private static let maximumAge: Duration = .seconds(60)

  private let database: Database

  /// - Parameter database: connected as `fettle_admin`.
  init(_ database: Database) {
    self.database = database
  }

  /// Returns the findings about the queue, workers, backlog, dead jobs, pauses and weekly partitions.
  func run() async throws -> [HealthFinding] {
    let counts = try await JobCounts.read(company: nil, database)
    let working = try await database.rows(
      "select w.queues from core.worker w where w.heartbeat_at > now() - interval '15 seconds'",
      [String].self
    )
    return [
      try await home(), workers(working, counts), try await backlog(working, counts), dead(counts),
      try await rules(),
      try await weeks(),
      try await mails(counts),
    ]
  }

  /// Mails wait while no worker has a mail server.
  private func mails(_ counts: JobCounts) async throws -> HealthFinding {
    let lines = counts.lines.filter { $0.kind == "mail.send" && !$0.isPaused }
    guard let oldest = lines.compactMap(\.oldest).min() else {
      return HealthFinding("mail", .ok, "no mail waits for a worker")
    }
    let age = try await database.value(
      "select extract(epoch from clock_timestamp() - \(oldest))::double precision",
      as: Double.self
    )
    let facts = "\(lines.reduce(0) { $0 + $1.queued.jobs }) mails wait for a worker with a mail server"
    return age < Self.maximumAge.seconds
      ? HealthFinding("mail", .ok, facts)
      : HealthFinding(
        "mail",
        .warning,
        "\(facts), the oldest for \(Int(clamping: age)) s",
        remedy: "fettle work --mail smtps://… --mail-from …"
      )
  }

  private func home() async throws -> HealthFinding {
    try await database.value("select core.jobs_are_home()", as: Bool.self)
      ? HealthFinding("queue", .ok, "the queue belongs to this server")
      : HealthFinding(
        "queue",
        .warning,
        "restored from a dump: no open job runs until a worker has taken over the queue",
        remedy: "fettle work"
      )
  }

  private func workers(_ working: [[String]], _ counts: JobCounts) -> HealthFinding {
    let waiting = counts.total(\.queued)
    guard !working.isEmpty else {
      return HealthFinding(
        "workers",
        .warning,
        "no worker is running; \(waiting.words) jobs wait",
        remedy: "fettle work"
      )
    }
    let served = Set(working.flatMap(\.self))
    let unserved = Set(counts.lines.filter { $0.queued.jobs > 0 && !$0.isPaused }.map(\.queue)).subtracting(
      served
    )
    guard unserved.isEmpty else {
      let queues = unserved.sorted().joined(separator: ",")
      return HealthFinding(
        "workers",
        .warning,
        "\(working.count) running, none of them on \(queues)",
        remedy: "fettle work --queues \(queues)"
      )
    }
    return HealthFinding("workers", .ok, "\(working.count) running")
  }

  private func backlog(_ working: [[String]], _ counts: JobCounts) async throws -> HealthFinding {
    let open = counts.lines.filter { !$0.isPaused && $0.queued.jobs > 0 }
    let facts =
      "\(counts.total(\.queued).words) ready, \(counts.total(\.running).words) running, "
      + "\((counts.total(\.waiting) + counts.total(\.retrying)).words) for later"
    guard let oldest = open.compactMap(\.oldest).min() else { return HealthFinding("backlog", .ok, facts) }
    let age = try await database.value(
      "select extract(epoch from clock_timestamp() - \(oldest))::double precision",
      as: Double.self
    )
    let line = open.first { $0.oldest == oldest }
    let kind = line?.kind ?? "job"
    let words = "\(facts); the oldest, a \(kind), has waited \(Int(clamping: age)) s"
    guard age >= Self.maximumAge.seconds else { return HealthFinding("backlog", .ok, words) }
    if working.isEmpty { return HealthFinding("backlog", .warning, words, remedy: "fettle work") }
    // A kind without a handler waits however many workers there are.
    let isBegun = line.map { $0.running.jobs > 0 || $0.started.hour > 0 } ?? true
    return HealthFinding(
      "backlog",
      .warning,
      isBegun ? words : "\(words), and no worker has begun one in the last hour",
      remedy: isBegun
        ? "start more workers, or see `fettle queue stats`"
        : WorkerRemedy.command(kind: kind, queues: [line?.queue ?? "default"])
    )
  }

  private func dead(_ counts: JobCounts) -> HealthFinding {
    let dead = counts.total(\.dead)
    guard dead.jobs > 0 else { return HealthFinding("jobs", .ok, "no job is dead") }
    let most = counts.lines.max { $0.dead.jobs < $1.dead.jobs }
    return HealthFinding(
      "jobs",
      .warning,
      "\(dead.words) are dead, most of kind \(most?.kind ?? "")",
      remedy: "fettle job list --state dead"
    )
  }

  private func rules() async throws -> HealthFinding {
    let rules = try await JobRules.read(database)
    return rules.pauses.isEmpty
      ? HealthFinding("pauses", .ok, "nothing is paused")
      : HealthFinding("pauses", .warning, "\(rules.pauses.count) in force", remedy: "fettle queue list")
  }

  private func weeks() async throws -> HealthFinding {
    let steps = try await QueueMaintenance(database).run(dryRun: true)
    let held = steps.filter { $0.action == .keep }
    if let first = held.first {
      return HealthFinding(
        "weeks",
        .warning,
        "\(held.count) old weeks of jobs are kept; the week of \(first.subject) because \(first.note)",
        remedy: "fettle queue maintain --dry-run"
      )
    }
    let next = try await database.value(
      "select exists (select from core.job_weeks() w where w.queued and w.week > current_date)",
      as: Bool.self
    )
    guard next else {
      return HealthFinding(
        "weeks",
        .warning,
        "the next week of jobs is not open; its jobs would be written to the default partition",
        remedy: "fettle queue maintain"
      )
    }
    return HealthFinding(
      "weeks",
      .ok,
      steps.isEmpty ? "no week is old enough to drop" : "\(steps.count) old weeks can be dropped"
    )
  }
}

extension JobCounts.Count {
  /// The number, with the word "about" if it is not exact.
  fileprivate var words: String { isExact ? "\(jobs)" : "about \(jobs)" }
}
