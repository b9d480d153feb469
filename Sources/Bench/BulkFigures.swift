internal import Domain
internal import Engine
internal import Postgres
internal import Store

/// Measures transitions of 10,000 entries in one call, beside the same engine with one entry per call.
struct BulkFigures {
  let server: BenchServer
  let plan: Plan

  private static let entries = 10_000

  func measure() async throws -> [Figure] {
    Report.progress("transition over a filter")
    return try await server.withConnection(as: "fettle_app", poolSize: 1) { database in
      let transitions = try await Transitions(
        database,
        companies: 1...1,
        entriesOfEach: Fixture.entriesOfOne,
        clients: 1
      )
      let acting = try await Fixture.acting(in: 1, database)
      let contest = Contest(
        ours: [
          Contest.Side(name: "transition of 10,000 entries at once", aim: 20) {
            try await all(transitions.records, acting)
          }
        ],
        peer: Contest.Side(name: "one at a time") {
          try await Load.run(clients: 1, seconds: Double(plan.seconds)) { client, _ in
            try await transitions.pair(client: client)
          }
        }
      )
      return try await contest.run(plan, unit: "transitions/s")
    }
  }

  /// Starts 10,000 entries and pauses them again.
  private func all(_ records: Records, _ acting: ActingContext) async throws -> Sample {
    let clock = ContinuousClock()
    let start = clock.now
    var units = 0
    for (transition, status) in [("start", "pending"), ("pause", "in_progress")] {
      var query = RecordQuery()
      query.filters = [(column: "status", value: status)]
      query.limit = Self.entries
      let outcome = try await records.transitionAll(
        acting,
        type: "maintenance.entry",
        where: query,
        request: TransitionRequest(transition)
      )
      units += outcome.done
    }
    return Sample(units: Double(units), seconds: (clock.now - start) / .seconds(1))
  }
}
