import FoundationEssentials

/// A long run of the model over many seeds, with its table.
struct SyncRun {
  private static let length = 60
  /// The number of seeds at once that share a database.
  private static let width = 4

  private(set) var seeds = 0
  private(set) var tally = SyncTally()
  /// The seeds with something wrong, and what.
  private(set) var violations: [(seed: UInt64, problems: [String])] = []

  /// Runs seeds. Those with faults of the server run one after the other on a server of their own.
  ///
  /// - Parameters:
  ///   - first: true to begin no further seed once one has failed.
  ///   - progress: receives a line now and then.
  static func over(
    _ seeds: ClosedRange<UInt64>,
    untilFirst first: Bool = false,
    progress: @Sendable (String) -> Void
  ) async throws -> SyncRun {
    var run = SyncRun()
    let harsh = seeds.filter { SyncEvent.faults(seed: $0).contains(where: \.isOfServer) }
    let plain = seeds.filter { !SyncEvent.faults(seed: $0).contains(where: \.isOfServer) }
    try await withThrowingTaskGroup(of: (UInt64, [SyncEvent], SyncWorld.Outcome).self) { group in
      var rest = plain[...]
      for _ in 0..<width { if let seed = rest.popFirst() { group.addTask { try await once(seed) } } }
      while let (seed, history, outcome) = try await group.next() {
        run.add(seed, history, outcome)
        if run.seeds % 100 == 0 { progress("\(run.seeds) of \(seeds.count) seeds") }
        guard !first || run.violations.isEmpty, let next = rest.popFirst() else { continue }
        group.addTask { try await once(next) }
      }
    }
    // A new server now and then, because copies of a full database take long.
    for part in stride(from: 0, to: harsh.count, by: 50) where !first || run.violations.isEmpty {
      try await OwnServer.with { server in
        for seed in harsh[part..<min(part + 50, harsh.count)] where !first || run.violations.isEmpty {
          let (_, history, outcome) = try await once(seed, on: server)
          run.add(seed, history, outcome)
        }
      }
      progress("\(run.seeds) of \(seeds.count) seeds")
    }
    return run
  }

  /// Returns the history of a seed in a long run.
  static func history(seed: UInt64) -> [SyncEvent] {
    SyncEvent.history(
      seed: seed,
      length: length,
      phones: SyncWorld.phones.count,
      faults: SyncEvent.faults(seed: seed)
    )
  }

  private static func once(_ seed: UInt64, on server: OwnServer? = nil) async throws
    -> (UInt64, [SyncEvent], SyncWorld.Outcome)
  {
    let history = history(seed: seed)
    return (seed, history, try await SyncWorld.run(history, seed: seed, on: server))
  }

  private mutating func add(_ seed: UInt64, _ history: [SyncEvent], _ outcome: SyncWorld.Outcome) {
    seeds += 1
    tally.add(outcome.tally)
    for event in history { tally.events[event.kind, default: 0] += 1 }
    if !outcome.problems.isEmpty { violations.append((seed, outcome.problems)) }
  }

  /// The table of the run.
  var table: String {
    var rows: [(String, Int)] = [("seeds", seeds)]
    for kind in SyncEvent.Kind.allCases { rows.append(("events: \(kind.rawValue)", tally.events[kind] ?? 0)) }
    rows += [
      ("requests", tally.requests), ("requests and answers lost or repeated", tally.faults),
      ("changes judged", tally.judged), ("conflicts", tally.conflicts), ("changes refused", tally.refused),
      ("seeds with a violation", violations.count),
    ]
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, count in
      name + String(repeating: " ", count: width - name.count) + "  \(count)"
    }.joined(separator: "\n")
  }
}

/// What happened in histories.
struct SyncTally: Sendable {
  var events: [SyncEvent.Kind: Int] = [:]
  var requests = 0
  var faults = 0
  var judged = 0
  var conflicts = 0
  var refused = 0

  mutating func add(_ other: SyncTally) {
    events.merge(other.events, uniquingKeysWith: +)
    requests += other.requests
    faults += other.faults
    judged += other.judged
    conflicts += other.conflicts
    refused += other.refused
  }
}
