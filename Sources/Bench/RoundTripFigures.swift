internal import Postgres

/// The smallest statement there is, one after the other: what the library itself costs.
struct RoundTripFigures {
  let server: BenchServer
  let plan: Plan

  func measure() async throws -> [Figure] {
    try await measure(clients: 1) + measure(clients: plan.clients)
  }

  private func measure(clients: Int) async throws -> [Figure] {
    let connections = clients == 1 ? "1 connection" : "\(clients) connections"
    Report.progress("round trips, \(connections)")
    return try await server.withConnection(as: "fettle_app", poolSize: clients) { database in
      let contest = Contest(
        ours: [
          Contest.Side(name: "round trip in a transaction, \(connections)") {
            try await Load.run(clients: clients, seconds: Double(plan.seconds)) { _, end in
              try await database.transaction { tx in
                var count = 0
                while ContinuousClock.now < end {
                  count += Int(try tx.value("select \(Int32(1))::int", as: Int32.self))
                }
                return count
              }
            }
          },
          Contest.Side(name: "round trip, Database.value, \(connections)") {
            try await Load.run(clients: clients, seconds: Double(plan.seconds)) { _, _ in
              Int(try await database.value("select \(Int32(1))::int", as: Int32.self))
            }
          },
        ],
        peer: Contest.Side(name: "pgbench") {
          try Pgbench(server).run(
            script: "select :one::int;\n",
            clients: clients,
            seconds: plan.seconds,
            variables: ["one": "1"]
          )
        }
      )
      return try await contest.run(plan, unit: "statements/s", aim: 0.9)
    }
  }
}
