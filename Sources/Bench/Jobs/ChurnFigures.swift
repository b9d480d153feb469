internal import FoundationEssentials
internal import Postgres

/// Measures the effect of a snapshot that is held open on steady work.
struct ChurnFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    guard plan.pinnedSeconds > 0 else { return [] }
    Report.progress(
      "steady work for \(Int(plan.pinnedSeconds)) s with a snapshot held, and as long without, alternating"
    )
    let (held, free) = try await Churn.run(server: server, database: "fettle_bench_free") { free in
      try await Churn.run(server: server, database: "fettle_bench_held") { held in
        try await server.withConnection(to: "fettle_bench_held") { holder in
          _ = try await free.round()
          _ = try await held.round()
          return try await Snapshot.held(holder) {
            var rates: (held: [Double], free: [Double]) = ([], [])
            let end = ContinuousClock.now + .seconds(plan.pinnedSeconds * 2)
            while ContinuousClock.now < end {
              rates.held.append(try await held.round())
              rates.free.append(try await free.round())
            }
            return rates
          }
        }
      }
    }
    // Uses the last third, because the effect grows with time.
    let last = max(1, held.count / 3)
    return [
      JobLine(
        name: "enqueue and drain, after \(Int(plan.pinnedSeconds)) s with a snapshot held",
        unit: "jobs/s",
        ours: Array(held.suffix(last)),
        peer: "ours, none held",
        theirs: Array(free.suffix(last)),
        atLeast: 0.9
      )
    ]
  }
}

/// Running workers for which jobs are enqueued repeatedly.
struct Churn: Sendable {
  private let superuser: Database
  private let team: DrainTeam
  private static let jobs = 50_000

  /// Runs a body with two worker processes and their own database, which is dropped afterwards.
  static func run<Value: Sendable>(
    server: BenchServer,
    database: String,
    _ body: (Churn) async throws -> Value
  ) async throws -> Value {
    try await server.copy(to: database)
    let value = try await server.withConnection(to: database) { superuser in
      _ = try await Backlog(jobs: 1).enqueue(superuser)
      let team = try await DrainTeam.start(2, server: server, database: database, kinds: ["bench.noop"])
      team.go()
      let value = try await body(Churn(superuser: superuser, team: team))
      _ = try await team.stop()
      return value
    }
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: database) with (force)")
    }
    return value
  }

  /// Enqueues 50,000 jobs while workers run them. Returns jobs per second until all have run.
  func round() async throws -> Double {
    let before = team.counts.calls
    let start = ContinuousClock.now
    for _ in 0..<Self.jobs / 1_000 { try await enqueue(1_000) }
    try await superuser.execute("select core.notify_workers('')")
    while team.counts.calls < before + Self.jobs { try await Task.sleep(for: .milliseconds(2)) }
    return Double(Self.jobs) / ((ContinuousClock.now - start) / .seconds(1))
  }

  private func enqueue(_ count: Int) async throws {
    try await superuser.execute(
      """
      insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
      select '00000000-0000-0000-0000-000000000001',
        core.job_lane('00000000-0000-0000-0000-000000000001', 'default', 'bench.noop', 2), gen_random_uuid(), 'default',
        'bench.noop', 2, 5, jsonb_build_object('n', n)
      from generate_series(1, \(Int64(count))) n
      """
    )
  }

  /// Returns jobs per second if each thousand jobs is finished before the next thousand is enqueued. The time
  /// of enqueueing is not counted.
  static func small(server: BenchServer) async throws -> Double {
    try await run(server: server, database: "fettle_bench_small") { churn in
      let rounds = 50
      var seconds = 0.0
      for _ in 0..<rounds {
        let before = churn.team.counts.calls
        try await churn.enqueue(1_000)
        let start = ContinuousClock.now
        try await churn.superuser.execute("select core.notify_workers('')")
        while churn.team.counts.calls < before + 1_000 { try await Task.sleep(for: .milliseconds(1)) }
        seconds += (ContinuousClock.now - start) / .seconds(1)
      }
      return Double(rounds * 1_000) / seconds
    }
  }
}
