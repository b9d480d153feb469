internal import Cluster
internal import Postgres
internal import Secrets
internal import Store

/// Measures the enqueue rate with one job and with a thousand jobs per transaction.
struct EnqueueFigures {
  let plan: Plan
  let jobs: Int
  private static let database = "fettle_bench_enqueue"
  private static let table = "core.job_queued (company_id,lane,id,queue,kind,priority,max_attempts,payload)"
  private static let values = """
    '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0001-8f0e-0d2f9f1f5d11'::uuid, gen_random_uuid(), 'default', \
    'bench.noop', 2, 5, jsonb_build_object('n', n)
    """

  private var pgbench: Pgbench { Pgbench(server: plan.server, database: Self.database) }

  func measure() async throws -> [Line] {
    try await plan.server.withCopy(Self.database) { superuser in
      try await Backlog(jobs: 1).enqueue(superuser)
      let aims = [Aim.ratioAtLeast(0.9), .ratioAtLeast(0.6)]
      let inserts = Side.rate("pgbench insert, 8 clients", aim: aims[0], []) { try insert() }
      let copies = Side.rate("COPY into the same table", aim: aims[1], []) { try await copy() }
      let single = try await plan.contest(
        "jobs/s",
        .rate("enqueue, one per transaction, 8 callers", []) { try await enqueue(1, callers: plan.clients) },
        beside: [inserts] + peers("enqueue-single", ["jobs": 3_000, "clients": 8])
      )
      let batch = try await plan.contest(
        "jobs/s",
        .rate("enqueue, 1,000 per transaction, 1 caller", []) { try await enqueue(1_000, callers: 1) },
        beside: [copies] + peers("enqueue-batch", ["jobs": 30_000])
      )
      return single + batch
    }
  }

  private func peers(_ figure: String, _ options: [String: Int]) -> [Side] {
    plan.peers.sides(Peers.queues, figure, options.merging(["seconds": 15]) { $1 }, isOnce: true)
  }

  private func insert() throws -> Sample {
    let insert = "insert into \(Self.table) select \(Self.values) from (values (:n::int)) x (n);"
    let script = "\\set n random(1, 1000000)\n\(insert)\n"
    return try pgbench.run(script, seconds: plan.seconds, user: "postgres", clients: plan.clients)
  }

  private func enqueue(_ size: Int, callers: Int) async throws -> Sample {
    let (database, threads) = (Self.database, max(2, callers))
    return try await plan.server.withConnection(as: "fettle_app", to: database, poolSize: threads) { app in
      let (notifier, company) = (JobNotifier(app), Fixture.id(1))
      return try await Load.tasks(callers, seconds: plan.seconds) { _ in
        let jobs = (1...size).map { NewJob.bench($0) }
        if size == 1 {
          try await JobOutbox.insert(jobs[0], company: company, traceID: nil, app)
        } else {
          try await app.transaction(.inside(company)) { tx in
            try JobOutbox.commit(jobs, company: company, traceID: nil, tx)
          }
        }
        await notifier.notify()
        return size
      }
    }
  }

  /// Copies rows with new ids, which are written to a file before the clock starts.
  private func copy() async throws -> Sample {
    let file = "\(plan.server.cluster.directory)/jobs.copy"
    try pgbench.psql(["\\copy (select \(Self.values) from generate_series(1, \(jobs)) n) to '\(file)'"])
    return try await Sample.timed {
      try pgbench.psql(["\\copy \(Self.table) from '\(file)'"])
      return jobs
    }
  }
}

extension NewJob {
  static func bench(_ number: Int, kind: String = "bench.noop") -> NewJob {
    NewJob(id: UUIDv7Generator.shared.next(), kind: kind, payload: JSON(text: #"{"n": \#(number)}"#))
  }
}
