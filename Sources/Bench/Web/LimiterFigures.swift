internal import Cluster

/// Measures requests with rate limits that are never reached, beside requests without limits.
struct LimiterFigures {
  let server: BenchServer
  let plan: Plan
  let token: BenchToken

  func measure() async throws -> [Figure] {
    Report.progress("rate limits")
    let wrk = Wrk(connections: plan.clients, seconds: plan.seconds, folder: server.cluster.directory)
    @Sendable func reads(_ web: WebServer) throws -> Sample {
      try wrk.run(
        web.address,
        headers: [web.authorization],
        script: WrkScript.readEntries,
        arguments: ["\(Fixture.entriesOfOne)"]
      )
    }
    return try await WebServer.with(server, token: token.text) { free in
      try await WebServer.with(server, token: token.text, limits: WebServer.leased) { leased in
        try await WebServer.with(server, token: token.text, limits: WebServer.exact) { exact in
          let contest = Contest(
            ours: [
              Contest.Side(name: "GET, leased rate limits", aim: 0.97) { try reads(leased) },
              Contest.Side(name: "GET, exact rate limits", aim: 0.75) { try reads(exact) },
            ],
            peer: Contest.Side(name: "GET, no rate limits") { try reads(free) }
          )
          return try await contest.run(plan, unit: "requests/s")
        }
      }
    }
  }
}
