internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Measures the pick-up latency of an idle worker: the time from the confirmed commit to the start of the
/// handler.
struct PickupFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    let peers = plan.peers.map { Peers(python: $0, server: server) }
    var ours: (p50: [Double], p99: [Double]) = ([], [])
    var theirs: [String: (p50: [Double], p99: [Double])] = [:]
    for _ in 0..<max(1, plan.rounds / 2) {
      let waits = try await waits()
      ours.p50.append(Self.percentile(waits, 0.5))
      ours.p99.append(Self.percentile(waits, 0.99))
      for name in peers == nil ? [] : Peers.queues {
        let options = ["--samples", String(plan.samples), "--interval-ms", "50"]
        guard let result = try await peers?.run(name, "pickup", options) else { continue }
        if let p50 = result.p50 { theirs[name, default: ([], [])].p50.append(p50) }
        if let p99 = result.p99 { theirs[name, default: ([], [])].p99.append(p99) }
      }
    }
    guard peers != nil else {
      return [
        JobLine(
          name: "pick-up when idle, p50",
          unit: "ms",
          ours: ours.p50,
          peer: "",
          theirs: [],
          atMost: 1.5
        ),
        JobLine(name: "pick-up when idle, p99", unit: "ms", ours: ours.p99, peer: "", theirs: [], atMost: 6),
      ]
    }
    return Peers.queues.flatMap { name -> [JobLine] in
      let other = theirs[name] ?? ([], [])
      return [
        JobLine(
          name: "pick-up when idle, p50",
          unit: "ms",
          ours: ours.p50,
          peer: name,
          theirs: other.p50,
          atMost: 1.5
        ),
        JobLine(
          name: "pick-up when idle, p99",
          unit: "ms",
          ours: ours.p99,
          peer: name,
          theirs: other.p99,
          atMost: 6
        ),
      ]
    }
  }

  /// Returns the waits of ``JobPlan/samples`` jobs in milliseconds.
  private func waits() async throws -> [Double] {
    let name = "fettle_bench_pickup"
    try await server.copy(to: name)
    _ = try await server.withConnection(to: name) { try await Backlog(jobs: 1).enqueue($0) }
    let team = try await DrainTeam.start(
      1,
      server: server,
      database: name,
      kinds: ["bench.noop"],
      tellsTimes: true
    )
    team.go()
    let enqueued = try await server.withConnection(as: "fettle_app", to: name, poolSize: 2) { app in
      let notifier = JobNotifier(app)
      try await Task.sleep(for: .milliseconds(1_500))
      var enqueued: [Int: Int] = [:]
      for number in 2...plan.samples + 11 {
        let job = NewJob(
          id: UUIDv7Generator.shared.next(),
          kind: "bench.noop",
          payload: JSON(text: #"{"n": \#(number)}"#)
        )
        try await JobOutbox.insert(job, company: Fixture.id(1), traceID: nil, app)
        // The wait begins with the commit, so it includes the notification.
        enqueued[number] = CallCounter.now()
        await notifier.notify(JobNotification([job], company: Fixture.id(1)) ?? .unknown)
        // The interval is irregular, because a regular one could coincide with polls.
        try await Task.sleep(for: .milliseconds(40 + number * 7 % 21))
      }
      return enqueued
    }
    let (_, times) = try await team.stop()
    _ = try await server.withConnection(to: "postgres") { superuser in
      try await superuser.execute("drop database \(identifier: name) with (force)")
    }
    // The first ten jobs warm up connections and plans.
    return enqueued.filter { $0.key > 11 }.compactMap { number, moment in
      times[number].map { Double(max(0, $0 - moment)) / 1_000_000 }
    }
  }

  static func percentile(_ values: [Double], _ share: Double) -> Double {
    let ordered = values.sorted()
    guard !ordered.isEmpty else { return .nan }
    return ordered[max(0, Int((Double(ordered.count) * share).rounded(.up)) - 1)]
  }
}
