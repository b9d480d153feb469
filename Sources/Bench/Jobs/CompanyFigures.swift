/// Measures the effect of many companies on the drain rate.
struct CompanyFigures {
  let server: BenchServer
  let plan: JobPlan

  func measure() async throws -> [JobLine] {
    var one: [Drain.Outcome] = []
    var others: [Int: [Drain.Outcome]] = [:]
    for _ in 0..<plan.rounds {
      one.append(try await Drain(server: server, backlog: Backlog(jobs: plan.jobs), workers: 2).measure())
      for companies in [100, 10_000] {
        let backlog = Backlog(jobs: plan.jobs, companies: companies)
        others[companies, default: []].append(
          try await Drain(server: server, backlog: backlog, workers: 2).measure()
        )
      }
    }
    return [100, 10_000].map { companies in
      let many = others[companies, default: []]
      return JobLine(
        name: "drain, \(JobReport.text(Double(companies))) companies",
        unit: "jobs/s",
        ours: many.map(\.perSecond),
        peer: "ours, 1 company",
        theirs: one.map(\.perSecond),
        atLeast: companies == 10_000 ? 0.8 : nil,
        serverCPU: (many.map(\.serverCPU).median, one.map(\.serverCPU).median),
        workerCPU: (many.map(\.workerCPU).median, one.map(\.workerCPU).median)
      )
    }
  }
}
