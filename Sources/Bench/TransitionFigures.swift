internal import Postgres

/// Measures transitions of the engine beside pgbench, which repeats the engine's statements.
struct TransitionFigures {
  let server: BenchServer
  let plan: Plan

  func measure() async throws -> [Figure] {
    try await measure("1 company", companies: 1...1, entries: Fixture.entriesOfOne)
      + measure("100 companies", companies: Fixture.hundred, entries: Fixture.entriesOfEach)
  }

  private func measure(_ name: String, companies: ClosedRange<Int>, entries: Int) async throws -> [Figure] {
    Report.progress("transitions, \(name)")
    let traced = Fixture.id(Fixture.entry(entries, of: companies.lowerBound))
    let trace = try await Transitions.trace(server, entry: traced, company: companies.lowerBound)
    let literals = try await server.withConnection { try await Literals(of: trace, $0) }
    let script = PgbenchScript(
      trace,
      literals,
      entry: traced,
      companies: companies,
      entriesOfEach: entries,
      clients: plan.clients
    )
    if plan.showsScripts { print("-- \(name)\n\(script.text)") }
    let runs = Counter()
    let contest = Contest(
      ours: [
        Contest.Side(name: "transitions, \(name)", aim: 0.8) {
          try await engine(companies: companies, entries: entries)
        }
      ],
      peer: Contest.Side(name: "pgbench, same statements") {
        // The script contains two units of work: a start and a pause.
        try Pgbench(server).run(
          script: script.text,
          clients: plan.clients,
          seconds: plan.seconds,
          units: 2,
          variables: script.variables(run: runs.next())
        )
      }
    )
    return try await contest.run(plan, unit: "transitions/s")
  }

  /// Measures the engine once, on new connections without prepared statements, as pgbench has them.
  private func engine(companies: ClosedRange<Int>, entries: Int) async throws -> Sample {
    let clients = plan.clients
    return try await server.withConnection(as: "fettle_app", poolSize: clients) { database in
      let transitions = try await Transitions(
        database,
        companies: companies,
        entriesOfEach: entries,
        clients: clients
      )
      // Opens all connections first; pgbench also does this before it counts.
      try await withThrowingTaskGroup { group in
        for _ in 0..<clients { group.addTask { try await database.execute("select pg_sleep(0.05)") } }
        try await group.waitForAll()
      }
      return try await Load.run(clients: clients, seconds: Double(plan.seconds)) { client, _ in
        try await transitions.pair(client: client)
      }
    }
  }
}
