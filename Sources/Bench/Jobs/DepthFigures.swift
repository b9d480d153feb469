/// Measures the effect of a deep backlog on the drain rate.
struct DepthFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    // Drains the same number of jobs at each depth, so that the fixed costs are equal.
    let limit = min(plan.jobs, plan.backlog / 4)
    var deep: [Drain.Outcome] = []
    var shallow: [Drain.Outcome] = []
    for _ in 0..<plan.rounds {
      shallow.append(
        try await Drain(server: server, backlog: Backlog(jobs: limit), workers: 2, limit: limit).measure()
      )
      deep.append(
        try await Drain(server: server, backlog: Backlog(jobs: plan.backlog), workers: 2, limit: limit)
          .measure()
      )
    }
    var small: [Double] = []
    for _ in 0..<plan.rounds { small.append(try await Churn.small(server: server)) }
    return [
      JobLine(
        name: "drain of \(JobReport.text(Double(limit))) out of \(JobReport.text(Double(plan.backlog)))",
        unit: "jobs/s",
        ours: deep.map(\.perSecond),
        peer: "ours, without a deeper backlog",
        theirs: shallow.map(\.perSecond),
        atLeast: 0.9,
        serverCPU: (deep.map(\.serverCPU).median, shallow.map(\.serverCPU).median)
      ),
      JobLine(
        name: "drain of \(JobReport.text(Double(limit))) out of \(JobReport.text(Double(plan.backlog)))",
        unit: "jobs/s",
        ours: deep.map(\.perSecond),
        peer: "ours, 1,000 at a time",
        theirs: small,
        atLeast: 0.9
      ),
    ]
  }
}
