/// Measures the drain rate of a backlog beside other queues, with one and two worker processes.
struct DrainFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    var lines: [JobLine] = []
    for workers in [1, 2] { lines += try await measure(workers) }
    return lines
  }

  private func measure(_ workers: Int) async throws -> [JobLine] {
    let peers = plan.peers.map { Peers(python: $0, server: server) }
    var ours: [Drain.Outcome] = []
    var theirs: [String: [Peers.Result]] = [:]
    for round in 0..<plan.rounds {
      ours.append(
        try await Drain(server: server, backlog: Backlog(jobs: plan.jobs), workers: workers).measure()
      )
      guard let peers else { continue }
      for name in round.isMultiple(of: 2) ? Peers.queues : Peers.queues.reversed() {
        let options = ["--jobs", String(plan.peerJobs), "--workers", String(workers), "--seconds", "20"]
        if let result = try await peers.run(name, "drain", options) {
          theirs[name, default: []].append(result)
        }
      }
    }
    let name = "drain, \(workers) process\(workers == 1 ? "" : "es")"
    func line(_ peer: String, _ results: [Peers.Result], aim: Double?) -> JobLine {
      JobLine(
        name: name,
        unit: "jobs/s",
        ours: ours.map(\.perSecond),
        peer: peer,
        theirs: results.compactMap(\.jobsPerSecond),
        atLeast: aim,
        serverCPU: (ours.map(\.serverCPU).median, results.compactMap(\.serverCPU).median),
        workerCPU: (ours.map(\.workerCPU).median, results.compactMap(\.workerCPU).median)
      )
    }
    guard peers != nil else { return [line("", [], aim: nil)] }
    let best = theirs.max {
      $0.value.compactMap(\.jobsPerSecond).median < $1.value.compactMap(\.jobsPerSecond).median
    }
    return Peers.queues.compactMap { peer in
      theirs[peer].map { line(peer, $0, aim: peer == best?.key && workers == 2 ? 10 : nil) }
    }
  }
}
