internal import FoundationEssentials
internal import Postgres

/// Measures the drain beside pgbench, which runs the same statements in batches of 1,000 jobs, without handlers and outcomes
/// per job.
struct LimitFigures {
  let plan: Plan
  let jobs: Int

  func measure() async throws -> [Line] {
    let backlog = Backlog(jobs: jobs, kinds: ["bench.w1", "bench.w2"])
    let drain = Drain(server: plan.server, backlog: backlog)
    let name = "drain, 2 processes, 2 lanes"
    let ours = Side(name: name, aim: .ratioAtLeast(0.7)) { try await drain.measure() }
    let peer = Side(name: "pgbench, the same statements, 1,000 each") { try await limit(backlog) }
    return try await plan.contest("jobs/s", ours, beside: [peer])
  }

  private func limit(_ backlog: Backlog) async throws -> Reading {
    let pgbench = Pgbench(server: plan.server, database: "fettle_bench_limit")
    let script = try String(contentsOfFile: "deploy/peers/limits/drain.sql", encoding: .utf8)
    return try await plan.server.withCopy(pgbench.database) { superuser in
      try await backlog.enqueue(superuser)
      _ = try await superuser.execute(
        """
        insert into core.worker (id, host, pid, started_at, heartbeat_at, queues, lease_until)
        select lpad(n::text, 32, '0')::uuid, 'bench', n, now(), now(), '{}', now() + interval '1 hour'
        from generate_series(1, 2) n
        """
      )
      let (batches, user, start) = (backlog.jobs / 2 / 1_000, "postgres", ["no": "0"])
      let reading = try await Meter.read([.tree(plan.server.postmaster), nil]) {
        try pgbench.run(
          script,
          seconds: nil,
          transactions: batches,
          user: user,
          clients: 2,
          units: 1_000,
          start
        )
      }
      let acknowledged = try await superuser.value("select count(*) from core.job_ack", as: Int.self)
      let claimed = try await superuser.value("select sum(jobs)::bigint from core.job_claim", as: Int.self)
      guard acknowledged == batches * 2, claimed == batches * 2_000 else {
        throw Failure("pgbench acknowledged \(acknowledged) claims of \(claimed) jobs")
      }
      return reading
    }
  }
}
