internal import Postgres

/// Units of work a second: the engine's transitions, and pgbench repeating the statements that the engine sends.
struct TransitionFigures {
  let server: BenchServer
  let plan: Plan

  func measure() async throws -> [Figure] {
    try await measure("1 company", companies: 1...1, entries: Fixture.entriesOfOne)
      + measure("100 companies", companies: Fixture.hundred, entries: Fixture.entriesOfEach)
  }

  private func measure(_ name: String, companies: ClosedRange<Int>, entries: Int) async throws -> [Figure] {
    Report.progress("transitions, \(name)")
    let plan = plan
    // The last entry of the first company is left to the trace: it must still be pending.
    let traced = Fixture.id(Fixture.entry(entries, of: companies.lowerBound))
    let trace = try await Transitions.trace(server, entry: traced, company: companies.lowerBound)
    let script = PgbenchScript(
      trace,
      entry: traced,
      companies: companies,
      entriesOfEach: entries,
      clients: plan.clients
    )
    if plan.showsScripts { print("-- \(name)\n\(script.text)") }
    let database = server.connect(as: "fettle_app", poolSize: plan.clients)
    let transitions = try await Transitions(
      database,
      companies: companies,
      entriesOfEach: entries,
      clients: plan.clients
    )
    // The first statements of a connection are prepared and planned; pgbench does that before it counts.
    _ = try await Load.perSecond(clients: plan.clients, seconds: 1) { client, _ in
      try await transitions.pair(client: client)
    }
    let runs = Counter()
    let contest = Contest(
      ours: [
        Contest.Side(name: "transitions, \(name)") {
          try await Load.perSecond(clients: plan.clients, seconds: Double(plan.seconds)) { client, _ in
            try await transitions.pair(client: client)
          }
        }
      ],
      peer: Contest.Side(name: "pgbench, same statements") { [pgbench = Pgbench(server)] in
        // A run of the script is a start and a pause.
        try pgbench.perSecond(
          script: script.text,
          clients: plan.clients,
          seconds: plan.seconds,
          variables: script.variables(run: runs.next())
        ) * 2
      }
    )
    let figures = try await contest.run(plan, unit: "transitions/s", aim: 0.8)
    await database.close()
    return figures
  }
}
