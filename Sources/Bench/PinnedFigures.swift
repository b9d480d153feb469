internal import Postgres

/// Measures transitions while an open snapshot prevents the removal of dead rows, beside the same load
/// without a snapshot.
///
/// Two equal databases of one server get the load in alternation. The snapshot is held in one of them and
/// delays the cleanup of that database only.
struct PinnedFigures {
  let server: BenchServer
  let plan: Plan

  /// The database without the snapshot.
  static let free = "fettle_bench_free"
  private static let windows = 6

  func measure() async throws -> [Figure] {
    Report.progress("transitions with a snapshot held open, \(plan.pinnedSeconds) s, and as long without")
    return try await server.withConnection(as: "fettle_app", poolSize: plan.clients) { pinned in
      try await server.withConnection(as: "fettle_app", to: Self.free, poolSize: plan.clients) { free in
        try await server.withConnection { holder in
          try await measure(pinned: load(pinned), free: load(free), holder: holder)
        }
      }
    }
  }

  private func load(_ database: Database) async throws -> Transitions {
    try await Transitions(
      database,
      companies: Fixture.hundred,
      entriesOfEach: Fixture.entriesOfEach,
      clients: plan.clients
    )
  }

  private func window(_ transitions: Transitions) async throws -> Double {
    let seconds = Double(plan.pinnedSeconds) / Double(Self.windows)
    return try await Load.run(clients: plan.clients, seconds: seconds) { client, _ in
      try await transitions.pair(client: client)
    }.perSecond
  }

  private func measure(pinned: Transitions, free: Transitions, holder: Database) async throws -> [Figure] {
    _ = try await window(free)
    let before = try await window(pinned)
    let (held, notHeld) = try await Snapshot.held(holder) {
      var held: [Double] = []
      var notHeld: [Double] = []
      for _ in 0..<Self.windows {
        notHeld.append(try await window(free))
        held.append(try await window(pinned))
      }
      // Uses the second half, because the effect grows with time.
      return (Array(held.suffix(Self.windows / 2)), Array(notHeld.suffix(Self.windows / 2)))
    }
    let name = "transitions after \(plan.pinnedSeconds / 2) of \(plan.pinnedSeconds) s with a snapshot held"
    return [
      Figure(
        name: name,
        unit: "transitions/s",
        ours: held,
        peer: "same load, none held",
        theirs: notHeld,
        aim: 0.9
      ),
      Figure(
        name: name,
        unit: "transitions/s",
        ours: held,
        peer: "before it was held",
        theirs: [before],
        aim: nil
      ),
    ]
  }
}
