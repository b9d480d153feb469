internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Measures the enqueue rate with one job and with a thousand jobs per transaction.
struct EnqueueFigures {
  let server: BenchServer
  let plan: JobPlan
  private static let clients = 8
  private static let database = "fettle_bench_enqueue"

  func measure() async throws -> [JobLine] {
    try await server.copy(to: Self.database)
    _ = try await server.withConnection(to: Self.database) { try await Backlog(jobs: 1).enqueue($0) }
    var single: (ours: [Double], theirs: [Double]) = ([], [])
    var batch: (ours: [Double], theirs: [Double]) = ([], [])
    for round in 0..<plan.rounds {
      // Every other round runs in reverse order.
      if round.isMultiple(of: 2) {
        single.ours.append(try await one())
        single.theirs.append(try insert())
        batch.ours.append(try await thousand())
        batch.theirs.append(try await copy())
      } else {
        single.theirs.append(try insert())
        single.ours.append(try await one())
        batch.theirs.append(try await copy())
        batch.ours.append(try await thousand())
      }
    }
    var lines = [
      JobLine(
        name: "enqueue, one per transaction, 8 callers",
        unit: "jobs/s",
        ours: single.ours,
        peer: "pgbench insert, 8 clients",
        theirs: single.theirs,
        atLeast: 0.9
      ),
      JobLine(
        name: "enqueue, 1,000 per transaction, 1 caller",
        unit: "jobs/s",
        ours: batch.ours,
        peer: "COPY into the same table",
        theirs: batch.theirs,
        atLeast: 0.6
      ),
    ]
    guard let python = plan.peers else { return lines }
    let peers = Peers(python: python, server: server)
    for (figure, ours, jobs) in [
      ("enqueue-single", single.ours, "3000"), ("enqueue-batch", batch.ours, "30000"),
    ] {
      for name in Peers.queues {
        let options =
          ["--jobs", jobs, "--seconds", "15"] + (figure == "enqueue-single" ? ["--clients", "8"] : [])
        guard let result = try? await peers.run(name, figure, options), let rate = result.jobsPerSecond else {
          continue
        }
        lines.append(
          JobLine(name: figure, unit: "jobs/s", ours: [ours.median], peer: name, theirs: [rate])
        )
      }
    }
    return lines
  }

  private func job(_ number: Int) -> NewJob {
    NewJob(id: UUIDv7Generator.shared.next(), kind: "bench.noop", payload: JSON(text: #"{"n": \#(number)}"#))
  }

  private func one() async throws -> Double {
    try await server.withConnection(as: "fettle_app", to: Self.database, poolSize: Self.clients) { app in
      let notifier = JobNotifier(app)
      return try await Load.run(clients: Self.clients, seconds: Double(plan.seconds)) { client, _ in
        try await JobOutbox.insert(job(client), company: Fixture.id(1), traceID: nil, app)
        await notifier.notify()
        return 1
      }.perSecond
    }
  }

  private func insert() throws -> Double {
    let script = """
      \\set n random(1, 1000000)
      insert into core.job_queued (company_id, lane, id, queue, kind, priority, max_attempts, payload)
      values ('00000000-0000-0000-0000-000000000001', '00000000-0000-0001-8f0e-0d2f9f1f5d11', gen_random_uuid(), 'default',
        'bench.noop', 2, 5, jsonb_build_object('n', :n::int));
      """
    return try Pgbench(server, database: Self.database)
      .run(script: script, user: "postgres", clients: Self.clients, seconds: plan.seconds).perSecond
  }

  private func thousand() async throws -> Double {
    try await server.withConnection(as: "fettle_app", to: Self.database, poolSize: 2) { app in
      let notifier = JobNotifier(app)
      return try await Load.run(clients: 1, seconds: Double(plan.seconds)) { _, _ in
        let jobs = (1...1_000).map(job)
        try await app.transaction(.inside(Fixture.id(1))) { tx in
          try JobOutbox.commit(jobs, company: Fixture.id(1), traceID: nil, tx)
        }
        await notifier.notify()
        return jobs.count
      }.perSecond
    }
  }

  /// Returns rows per second of one COPY of ``JobPlan/jobs`` rows into the table of queued jobs.
  private func copy() async throws -> Double {
    let rows = plan.jobs
    return try await server.withConnection(to: Self.database) { superuser in
      let start = ContinuousClock.now
      try await superuser.transaction { tx in
        try tx.copy(
          into: Identifier("core", "job_queued"),
          columns: ["company_id", "lane", "id", "queue", "kind", "priority", "max_attempts", "payload"],
          as: .text
        ) { copy in
          for number in 1...rows {
            try copy.write(
              "00000000-0000-0000-0000-000000000001\t00000000-0000-0001-8f0e-0d2f9f1f5d11\t"
                + "\(UUIDv7Generator.shared.next().uuidString)\tdefault\tbench.noop\t2\t5\t{\"n\": \(number)}\n"
            )
          }
        }
      }
      return Double(rows) / ((ContinuousClock.now - start) / .seconds(1))
    }
  }
}
