internal import Postgres

/// Two running worker processes for which jobs are enqueued repeatedly.
struct Churn: Sendable {
  private let superuser: Database
  private let team: WorkerTeam

  /// Measures the effect of a snapshot that is held open on steady work, for a time with it and as long without.
  static func besidePinned(_ plan: Plan, seconds: Int) async throws -> [Line] {
    guard seconds > 0 else { return [] }
    Report.progress("steady work for \(seconds) s with a snapshot held, and as long without, alternating")
    let (server, heldName) = (plan.server, "fettle_bench_held")
    let (held, free) = try await run(server, "fettle_bench_free_jobs") { free in
      try await run(server, heldName) { held in
        try await server.withConnection(to: heldName) { holder in
          _ = try await free.round()
          _ = try await held.round()
          var rates: (held: [Reading], free: [Reading]) = ([], [])
          let end = ContinuousClock.now + .seconds(seconds * 2)
          return try await Snapshot.held(holder) {
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
    let (name, last) = ("enqueue and drain, after \(seconds) s with a snapshot held", max(1, held.count / 3))
    var line = Line(name: name, unit: "jobs/s", ours: held.suffix(last), aim: .ratioAtLeast(0.9))
    (line.peer, line.theirs) = ("ours, none held", free.suffix(last))
    return [line]
  }

  private static func run<Value: Sendable>(
    _ server: BenchServer,
    _ database: String,
    _ body: (Churn) async throws -> Value
  ) async throws -> Value {
    try await server.withCopy(database) { superuser in
      try await Backlog(jobs: 1).enqueue(superuser)
      let team = try await WorkerTeam.start(2, server, database, ["bench.noop"])
      let value = try await body(Churn(superuser: superuser, team: team))
      try await team.stop()
      return value
    }
  }

  /// Enqueues 50,000 jobs while workers run them. Returns jobs per second until all have run.
  private func round() async throws -> Reading {
    let (jobs, before, start) = (50_000, team.counts.calls, ContinuousClock.now)
    for _ in 0..<jobs / 1_000 {
      _ = try await superuser.execute(
        """
        insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
        select c.id, core.job_lane(c.id, 'default', 'bench.noop', 2), gen_random_uuid(), 'default', 'bench.noop', 2, 5,
          jsonb_build_object('n', n)
        from generate_series(1, 1000) n
        cross join (values ('00000000-0000-0000-0000-000000000001'::uuid)) c (id)
        """
      )
    }
    _ = try await superuser.execute("select core.notify_workers('')")
    try await team.awaitCalls(before + jobs)
    return Reading(Double(jobs) / ((ContinuousClock.now - start) / .seconds(1)))
  }
}
