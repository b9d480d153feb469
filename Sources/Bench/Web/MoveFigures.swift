internal import API
internal import Cluster
internal import FoundationEssentials
internal import Postgres

/// Measures transitions over HTTP beside pgbench with the same statements.
struct MoveFigures {
  let server: BenchServer
  let plan: Plan
  let token: BenchToken

  func measure() async throws -> [Figure] {
    Report.progress("transitions")
    let traced = Fixture.entriesOfOne
    let entry = Fixture.id(Fixture.entry(traced, of: 1))
    let tracer = APITrace(server: server, token: token)
    var trace: [[SQL]] = []
    for transition in ["start", "pause"] {
      let path = "/v1/maintenance/entry/\(entry.uuidString.lowercased())/do/\(transition)"
      trace += try await tracer.statements(.post, path)
    }
    let literals = try await server.withConnection { try await Literals(of: trace, $0) }
    // pgbench moves the second half of the entries, the API the first half.
    let script = PgbenchScript(
      trace,
      literals,
      entry: entry,
      companies: 1...1,
      entriesOfEach: Fixture.entriesOfOne / 2,
      clients: plan.clients,
      first: Fixture.entriesOfOne / 2,
      fixed: [token.id]
    )
    if plan.showsScripts { print("-- transitions\n\(script.text)") }
    let runs = Counter()
    // Each run has entries of its own, because an aborted run leaves some of them started.
    let each = Fixture.entriesOfOne / 2 / plan.rounds / 2
    let wrk = Wrk(connections: plan.clients, seconds: plan.seconds, folder: server.cluster.directory)
    return try await WebServer.with(server, token: token.text) { web in
      var round = 0
      let contest = Contest(
        ours: [
          Contest.Side(name: "transitions", aim: 0.6) {
            defer { round += 1 }
            return try wrk.run(
              web.address,
              headers: [web.authorization],
              script: WrkScript.moveEntries,
              arguments: ["\(1 + round * each * 2)", "\(each)"]
            )
          }
        ],
        peer: Contest.Side(name: "pgbench, same statements") {
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
  }
}
