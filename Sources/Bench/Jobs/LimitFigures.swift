internal import Postgres

/// Measures the drain beside pgbench, which runs the same statements in batches of 1,000 jobs, without
/// handlers and outcomes per job.
struct LimitFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    let kinds = ["bench.one", "bench.two"]
    var ours: [Drain.Outcome] = []
    var theirs: [Double] = []
    var cpu: [Double] = []
    for _ in 0..<plan.rounds {
      let backlog = Backlog(jobs: plan.jobs, kinds: kinds)
      ours.append(try await Drain(server: server, backlog: backlog, workers: 2).measure())
      let (rate, spent) = try await limit(backlog)
      theirs.append(rate)
      cpu.append(spent)
    }
    return [
      JobLine(
        name: "drain, 2 processes, 2 lanes",
        unit: "jobs/s",
        ours: ours.map(\.perSecond),
        peer: "pgbench, the same statements, 1,000 each",
        theirs: theirs,
        atLeast: 0.7,
        serverCPU: (ours.map(\.serverCPU).median, cpu.median),
        workerCPU: (ours.map(\.workerCPU).median, .nan)
      )
    ]
  }

  /// Claims and acknowledges all jobs with pgbench. Each of its two connections acts as a worker with its own
  /// lane.
  ///
  /// - Returns: jobs per second, and the CPU time of the server in microseconds per job.
  private func limit(_ backlog: Backlog) async throws -> (perSecond: Double, cpu: Double) {
    let name = "fettle_bench_limit"
    try await server.copy(to: name)
    let postmaster = try await server.postmaster()
    let answer: (perSecond: Double, cpu: Double) = try await server.withConnection(to: name) { superuser in
      try await backlog.enqueue(superuser)
      try await superuser.execute(
        """
        insert into core.worker (id, host, pid, started_at, heartbeat_at, queues, lease_until)
        select lpad(n::text, 32, '0')::uuid, 'bench', n, now(), now(), '{}', now() + interval '1 hour'
        from generate_series(1, 2) n
        """
      )
      let lane: (String) -> String = {
        "core.job_lane('00000000-0000-0000-0000-000000000001', 'default', '\($0)', 2)"
      }
      let laneOfWorker =
        "case when :worker = 1 then \(lane(backlog.kinds[0])) else \(lane(backlog.kinds[1])) end"
      let newest = """
        (select c.no from core.job_claim c
         where c.week = date_trunc('week', now())::date and c.company_id = '00000000-0000-0000-0000-000000000001'
           and c.lane = \(laneOfWorker)
         order by c.no desc limit 1)
        """
      // The statements of a worker, whose rows are sent to the client. Two differences: values are computed,
      // and the claim to acknowledge is looked up, because pgbench cannot store the values of many rows.
      let script = """
        \\set no :no + 1
        \\set worker :client_id + 1
        select c.place, c.no, c.week, c.jobs, c.claimed_at, c.ends_lane
        from core.take_batches(lpad(:worker::text, 32, '0')::uuid, :no::bigint,
          array['00000000-0000-0000-0000-000000000001'::uuid], array[\(laneOfWorker)], array[1000]) c;
        select j.place, j.id, j.round, j.attempt, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
          j.trace_id, j.is_alone, j.ready_at, j.is_cancelled
        from core.claimed_jobs(lpad(:worker::text, 32, '0')::uuid, array[date_trunc('week', now())::date],
          array['00000000-0000-0000-0000-000000000001'::uuid], array[\(laneOfWorker)], array[\(newest)]) j;
        select l.company_id, l.lane, l.no
        from core.ack_claims(lpad(:worker::text, 32, '0')::uuid, array[date_trunc('week', now())::date],
          array['00000000-0000-0000-0000-000000000001'::uuid], array[\(laneOfWorker)], array[\(newest)]) l;
        """
      let before = ServerTime.spent(postmaster: postmaster)
      let batches = backlog.jobs / 2 / 1_000
      let seconds = try Pgbench(server, database: name).take(
        script: script,
        clients: 2,
        transactions: batches,
        variables: ["no": "0"]
      )
      let acknowledged = try await superuser.value("select count(*) from core.job_ack", as: Int.self)
      guard acknowledged == batches * 2 else {
        throw Tool.Failure(description: "pgbench acknowledged \(acknowledged) claims")
      }
      let claimed = try await superuser.value("select sum(jobs)::bigint from core.job_claim", as: Int.self)
      let spent = ServerTime.spent(postmaster: postmaster) - before
      return (Double(claimed) / seconds, spent / Double(claimed))
    }
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: name) with (force)")
    }
    return answer
  }
}
