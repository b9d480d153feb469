/// How fast a backlog is drained.
struct DrainFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    var outcomes: [Int: [Drain.Outcome]] = [:]
    for round in 1...plan.rounds {
      for workers in [1, 2] {
        let outcome = try await Drain(server: server, backlog: Backlog(jobs: plan.jobs), workers: workers).measure()
        Report.progress(
          "round \(round), \(workers) processes: \(Int(outcome.perSecond)) jobs/s, server \(outcome.serverCPU) us, "
            + "worker \(outcome.workerCPU) us"
        )
        outcomes[workers, default: []].append(outcome)
      }
    }
    return [1, 2].map { workers in
      JobLine(name: "drain, \(workers) processes", values: outcomes[workers, default: []].map(\.perSecond), unit: "jobs/s")
    }
  }
}
