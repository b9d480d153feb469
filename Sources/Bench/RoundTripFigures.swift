internal import Cluster
internal import Postgres

/// Measures a minimal statement in sequence, which shows the cost of the library itself.
///
/// In a transaction, statements run on the connection's thread, like the body; this figure has an aim.
/// ``Database/value(_:as:)`` also switches to that thread and back for each statement; this figure has no
/// aim.
struct RoundTripFigures {
  let server: BenchServer
  let plan: Plan

  func measure() async throws -> [Figure] {
    var figures: [Figure] = []
    if let pid = server.cluster.serverID {
      figures = try await Processors.heldToOne(server: pid) {
        try await measure(clients: 1, "1 connection, 1 processor")
      }
    }
    return try await figures + measure(clients: plan.clients, "\(plan.clients) connections")
  }

  private func measure(clients: Int, _ connections: String) async throws -> [Figure] {
    Report.progress("round trips, \(connections)")
    return try await server.withConnection(as: "fettle_app", poolSize: clients) { database in
      let contest = Contest(
        ours: [
          Contest.Side(name: "round trip in a transaction, \(connections)", aim: 0.9) {
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
      return try await contest.run(plan, unit: "statements/s")
    }
  }
}
