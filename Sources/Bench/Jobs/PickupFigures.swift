internal import Postgres
internal import Store

/// Measures the pick-up latency: the time from the confirmed commit to the start of the handler.
struct PickupFigures {
  let plan: Plan

  private var samples: Int { plan.quick ? 200 : 500 }

  /// Measures an idle worker, beside other queues.
  func whenIdle() async throws -> [Line] {
    let options = ["samples": samples, "interval-ms": 50]
    let sides = [nil] + Peers.queues
    // The readings of the median and of the 99th percentile, by side and round.
    let readings = try await Contest.alternate(max(1, plan.rounds / 2), sides) { peer, _ in
      if let peer { return try await plan.peers.run(peer, "pickup", options) }
      let waits = try await idleWaits()
      return [0.5, 0.99].map { Reading(waits.percentile($0)) }
    }
    return [("p50", 1.5), ("p99", 6)].enumerated().flatMap { place, figure -> [Line] in
      let values = readings.map { $0.compactMap { $0[place] } }
      let name = "pick-up when idle, \(figure.0)"
      let alone = Line(name: name, unit: "ms", ours: values[0], aim: .atMost(figure.1))
      let lines = sides.indices.dropFirst().filter { !values[$0].isEmpty }.map { side in
        var line = alone
        (line.peer, line.theirs) = (sides[side] ?? "", values[side])
        return line
      }
      return lines.isEmpty ? [alone] : lines
    }
  }

  /// Measures the jobs of company 2, which enqueues one every 100 ms while one worker drains company 1's backlog.
  func beside(_ backlog: Int) async throws -> [Line] {
    // Combines the waits of all rounds, because one round has too few for a 99th percentile.
    var all: [Double] = []
    for _ in 0..<plan.rounds {
      all += try await waits(company: 2, beside: backlog) { team, _ in
        try await Task.sleep(for: .milliseconds(100))
        return team.counts.calls < backlog * 9 / 10
      }
    }
    let name = "pick-up beside another company's \(Report.text(backlog)) jobs, p99"
    return [Line(name: name, unit: "ms", ours: [Reading(all.percentile(0.99))], aim: .atMost(25))]
  }

  private func idleWaits() async throws -> [Double] {
    let waits = try await waits(company: 1, beside: 1) { _, number in
      // The interval is irregular, because a regular one could coincide with polls.
      try await Task.sleep(for: .milliseconds(40 + number * 7 % 21))
      return number < samples + 11
    }
    // The first ten jobs warm up connections and plans.
    return Array(waits.dropFirst(10))
  }

  /// Enqueues jobs of a company one by one, with a pause after each that returns false after the last one.
  ///
  /// - Returns: the waits in milliseconds.
  private func waits(
    company: Int,
    beside backlog: Int,
    _ pause: (WorkerTeam, Int) async throws -> Bool
  ) async throws -> [Double] {
    let (name, kinds, id) = ("fettle_bench_pickup", ["bench.noop", "bench.single"], Fixture.id(company))
    return try await plan.server.withCopy(name) { superuser in
      try await Backlog(jobs: backlog).enqueue(superuser)
      _ = try await superuser.execute(
        "insert into core.company (id, slug, name) values (\(id), 'single', 'Single') on conflict do nothing"
      )
      let team = try await WorkerTeam.start(1, plan.server, name, kinds, tellsTimes: true)
      // Excludes the start of the worker, which would lengthen the first waits.
      try await team.awaitCalls(min(10_000, (backlog + 1) / 2))
      if backlog == 1 { try await Task.sleep(for: .milliseconds(1_500)) }
      let enqueued = try await plan.server.withConnection(as: "fettle_app", to: name, poolSize: 2) { app in
        let notifier = JobNotifier(app)
        var enqueued: [(number: Int, moment: Int)] = []
        repeat {
          let job = NewJob.bench(backlog + 1 + enqueued.count, kind: "bench.single")
          try await JobOutbox.insert(job, company: id, traceID: nil, app)
          // The wait begins with the commit, so it includes the notification.
          enqueued.append((backlog + 1 + enqueued.count, CallCounter.now()))
          await notifier.notify(JobNotification([job], company: id) ?? .unknown)
        } while try await pause(team, backlog + enqueued.count)
        return enqueued
      }
      let times = try await team.stop().times
      return enqueued.compactMap { number, moment in times[number].map { Double(max(0, $0 - moment)) / 1e6 } }
    }
  }
}
