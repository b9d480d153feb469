internal import Postgres

/// Measures transitions while an open snapshot prevents the removal of dead rows, beside the same load without a snapshot.
///
/// Two equal databases of one server get the load in alternation. The snapshot is held in one of them and delays the
/// cleanup of that database only.
struct PinnedFigures {
  let plan: Plan
  let seconds: Int

  static let free = "fettle_bench_free"
  private static let windows = 6

  func measure() async throws -> [Line] {
    Report.progress("transitions with a snapshot held open, \(seconds) s, and as long without")
    return try await plan.server.withConnection(as: "fettle_app", poolSize: plan.clients) { pinned in
      try await plan.server.withConnection(as: "fettle_app", to: Self.free, poolSize: plan.clients) { free in
        try await measure(pinned: load(pinned), free: load(free))
      }
    }
  }

  private func load(_ database: Database) async throws -> Transitions {
    let entries = (Fixture.hundred, Fixture.entriesOfEach)
    return try await Transitions(plan.server, database, entries, clients: plan.clients)
  }

  private func window(_ transitions: Transitions) async throws -> Reading {
    Reading(try await transitions.load(seconds: max(1, seconds / Self.windows)).perSecond)
  }

  private func measure(pinned: Transitions, free: Transitions) async throws -> [Line] {
    _ = try await window(free)
    let before = try await window(pinned)
    let readings = try await plan.server.withConnection { holder in
      try await Snapshot.held(holder) {
        try await Contest.alternate(Self.windows, [free, pinned]) { side, _ in try await window(side) }
      }
    }
    // Uses the second half, because the effect grows with time.
    let (free, held) = (readings[0].suffix(Self.windows / 2), Array(readings[1].suffix(Self.windows / 2)))
    let name = "transitions after \(seconds / 2) of \(seconds) s with a snapshot held"
    let peers = [
      ("same load, none held", Array(free), Aim.ratioAtLeast(0.9)), ("before it was held", [before], nil),
    ]
    return peers.map { Line(name: name, unit: "transitions/s", ours: held, peer: $0, theirs: $1, aim: $2) }
  }
}
