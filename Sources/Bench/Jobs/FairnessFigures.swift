internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Measures the waiting time of one company's jobs while another company's backlog is drained.
struct FairnessFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    // Combines the waits of all rounds, because one round has too few for a 99th percentile.
    var waits: [Double] = []
    for _ in 0..<plan.rounds { waits += try await self.waits() }
    return [
      JobLine(
        name: "pick-up beside another company's \(JobReport.text(Double(plan.backlog))) jobs, p99",
        unit: "ms",
        ours: [PickupFigures.percentile(waits, 0.99)],
        peer: "",
        theirs: [],
        atMost: 25
      )
    ]
  }

  /// Returns the waits of company 2 in milliseconds. Company 2 enqueues a job every 100 ms while one worker
  /// drains company 1's backlog.
  private func waits() async throws -> [Double] {
    let name = "fettle_bench_fair"
    try await server.copy(to: name)
    let backlog = Backlog(jobs: plan.backlog)
    try await server.withConnection(to: name) { superuser in
      try await backlog.enqueue(superuser)
      try await superuser.execute(
        "insert into core.company (id, slug, name) values (\(Fixture.id(2)), 'queue-2', 'Queue 2')"
      )
    }
    let team = try await DrainTeam.start(
      1,
      server: server,
      database: name,
      kinds: ["bench.noop", "bench.single"],
      tellsTimes: true
    )
    team.go()
    let enqueued = try await server.withConnection(as: "fettle_app", to: name, poolSize: 2) { app in
      let notifier = JobNotifier(app)
      // Excludes the start of the worker, which would lengthen the first waits.
      while team.counts.calls < 10_000 { try await Task.sleep(for: .milliseconds(5)) }
      var enqueued: [Int: Int] = [:]
      var number = backlog.jobs
      while team.counts.calls < backlog.jobs * 9 / 10 {
        number += 1
        let payload = JSON(text: #"{"n": \#(number)}"#)
        let job = NewJob(id: UUIDv7Generator.shared.next(), kind: "bench.single", payload: payload)
        try await JobOutbox.insert(job, company: Fixture.id(2), traceID: nil, app)
        // The wait begins with the commit, so it includes the notification.
        enqueued[number] = CallCounter.now()
        await notifier.notify(JobNotification([job], company: Fixture.id(2)) ?? .unknown)
        try await Task.sleep(for: .milliseconds(100))
      }
      return enqueued
    }
    let (_, times) = try await team.stop()
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: name) with (force)")
    }
    let waits = enqueued.compactMap { number, moment in
      times[number].map { Double(max(0, $0 - moment)) / 1_000_000 }
    }
    Report.progress("\(waits.count) jobs beside \(backlog.jobs)")
    return waits
  }
}
