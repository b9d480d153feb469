internal import Postgres

/// A drain of a backlog by worker processes, measured from the start signal until all jobs are acknowledged.
struct Drain: Sendable {
  let server: BenchServer
  let backlog: Backlog
  var workers = 2
  /// The number of handler calls after which the clock is stopped; nil to wait until all jobs are acknowledged.
  var limit: Int?

  /// Runs the drain in its own database, which is dropped afterwards.
  ///
  /// - Returns: jobs per second, and the CPU time of the server and of the workers in microseconds per job.
  /// - Throws: ``Failure`` if jobs do not run, or if calls and recorded successes differ from the backlog.
  func measure() async throws -> Reading {
    let name = "fettle_bench_drain"
    return try await server.withCopy(name) { superuser in
      try await backlog.enqueue(superuser)
      let meter = Meter.tree(server.postmaster)
      var (spent, start) = (0.0, ContinuousClock.now)
      let team = try await WorkerTeam.start(workers, server, name, backlog.kinds) {
        spent = meter.spent
        start = .now
      }
      try await team.awaitCalls(limit ?? backlog.jobs)
      if limit == nil {
        while try await Self.recorded(superuser) < backlog.jobs {
          try await Task.sleep(for: .milliseconds(2))
        }
      }
      let done = Double(limit == nil ? backlog.jobs : team.counts.calls)
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      spent = meter.spent - spent
      let cpu = try await team.stop().cpu
      if limit == nil { try await check(team, superuser) }
      return Reading(done / seconds, cpu: [spent / done, cpu / done])
    }
  }

  private func check(_ team: WorkerTeam, _ superuser: Database) async throws {
    let (calls, sum) = team.counts
    guard calls == backlog.jobs, sum == backlog.sum else {
      throw Failure("\(calls) calls with the sum \(sum), expected \(backlog.jobs) with \(backlog.sum)")
    }
    // A sample, because checking a million jobs takes minutes.
    let succeeded = try await superuser.value(
      """
      select count(*)
      from (select p.company_id, p.id from core.job_queued p order by p.id limit 1000) p
      cross join lateral core.found_job(p.company_id, p.id) f
      where f.state = 'succeeded'
      """,
      as: Int.self
    )
    guard succeeded == min(1_000, backlog.jobs) else {
      throw Failure("only \(succeeded) of 1,000 jobs have succeeded")
    }
  }

  private static func recorded(_ superuser: Database) async throws -> Int {
    try await superuser.value(
      """
      select coalesce(sum(c.jobs), 0)::bigint
      from core.job_claim c
      join core.job_ack s on s.company_id = c.company_id and s.lane = c.lane and s.no = c.no
      where s.outcome = 'finished'
      """,
      as: Int.self
    )
  }
}

struct DrainFigures {
  let plan: Plan
  let jobs: Int

  /// Measures one and two worker processes beside other queues.
  func besideQueues() async throws -> [Line] {
    var lines: [Line] = []
    for workers in [1, 2] {
      let options = ["jobs": min(jobs, plan.quick ? 10_000 : 30_000), "workers": workers, "seconds": 20]
      let name = "drain, \(workers) process\(workers == 1 ? "" : "es")"
      let ours = side(name, Backlog(jobs: jobs), workers: workers)
      let peers = plan.peers.sides(Peers.queues, "drain", options)
      lines += try await plan.contest("jobs/s", ours, beside: peers)
    }
    let best = lines.indices.filter { lines[$0].name.hasPrefix("drain, 2") && !lines[$0].theirs.isEmpty }
      .max { lines[$0].theirs.map(\.value).median < lines[$1].theirs.map(\.value).median }
    if let best { lines[best].aim = .ratioAtLeast(10) }
    return lines
  }

  func manyCompanies() async throws -> [Line] {
    func many(_ companies: Int, aim: Aim? = nil) -> Side {
      side("drain, \(Report.text(companies)) companies", Backlog(jobs: jobs, companies: companies), aim: aim)
    }
    let one = side("ours, 1 company", Backlog(jobs: jobs))
    return try await plan.contest("jobs/s", many(100), many(10_000, aim: .ratioAtLeast(0.8)), beside: [one])
  }

  /// Measures the effect of a deep backlog. Drains the same number of jobs at each depth, so that the fixed costs are equal.
  func deep(_ backlog: Int) async throws -> [Line] {
    let limit = min(jobs, backlog / 4)
    let name = "drain of \(Report.text(limit)) out of \(Report.text(backlog))"
    let deep = side(name, Backlog(jobs: backlog), aim: .ratioAtLeast(0.9), limit: limit)
    let shallow = side("ours, without a deeper backlog", Backlog(jobs: limit), limit: limit)
    return try await plan.contest("jobs/s", deep, beside: [shallow])
  }

  private func side(_ name: String, _ jobs: Backlog, aim: Aim? = nil, workers: Int = 2, limit: Int? = nil)
    -> Side
  {
    let drain = Drain(server: plan.server, backlog: jobs, workers: workers, limit: limit)
    return Side(name: name, aim: aim) { try await drain.measure() }
  }
}
