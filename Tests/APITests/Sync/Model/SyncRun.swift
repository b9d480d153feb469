import BrowserFixtures
import EngineFixtures
import FoundationEssentials
import Testing

/// A long run of the model over many seeds, with its table.
struct SyncRun {
  private static let length = 60
  /// The number of seeds at once that share a database.
  private static let width = 4

  private(set) var seeds = 0
  /// The seed that ended last.
  private var last: UInt64?
  /// The seeds in which one phone was the field app in a browser.
  private(set) var browsers = 0
  private(set) var tally = SyncTally()
  /// The seeds with something wrong, and what.
  private(set) var violations: [(seed: UInt64, problems: [String])] = []

  /// Runs seeds. Those with faults of the server run on a server of their own, one after the other, beside the rest.
  ///
  /// - Parameters:
  ///   - first: true to begin no further seed once one has failed.
  ///   - progress: receives a line now and then.
  static func over(
    _ seeds: ClosedRange<UInt64>,
    untilFirst first: Bool = false,
    progress: @escaping @Sendable (String) -> Void
  ) async throws -> SyncRun {
    let isOver = Flag()
    let isHarsh = { (seed: UInt64) in SyncEvent.faults(seed: seed).contains(where: \.isOfServer) }
    let (harsh, plain) = (seeds.filter(isHarsh), seeds.filter { !isHarsh($0) })
    @Sendable func tell(_ run: SyncRun, _ all: [UInt64], _ kind: String) {
      // At once, since shrinking begins after the last seed.
      if let (seed, problems) = run.violations.last, seed == run.last {
        progress("seed \(seed): \(problems.joined(separator: "; "))")
      }
      if first, !run.violations.isEmpty { isOver.raise() }
      if run.seeds % 100 == 0 { progress("\(run.seeds) of \(all.count) \(kind)") }
    }
    async let quiet = shared(plain, isOver) { tell($0, plain, "seeds on a shared server") }
    async let faulty = apart(harsh, isOver) { tell($0, harsh, "seeds whose server fails") }
    var run = try await quiet
    run.add(try await faulty)
    return run
  }

  /// Runs seeds, several at once, on the shared server.
  private static func shared(
    _ seeds: [UInt64],
    _ isOver: Flag,
    _ tell: @Sendable (SyncRun) -> Void
  ) async throws -> SyncRun {
    try await withThrowingTaskGroup(of: (UInt64, [SyncEvent], SyncWorld.Outcome).self) { group in
      var (run, rest) = (SyncRun(), seeds[...])
      for _ in 0..<width { if let seed = rest.popFirst() { group.addTask { try await once(seed) } } }
      while let (seed, history, outcome) = try await group.next() {
        run.add(seed, history, outcome)
        tell(run)
        if !isOver.isRaised, let next = rest.popFirst() { group.addTask { try await once(next) } }
      }
      return run
    }
  }

  /// Runs seeds one after the other on a server of their own. A new one now and then, because copies of a full database
  /// take long.
  private static func apart(
    _ seeds: [UInt64],
    _ isOver: Flag,
    _ tell: @Sendable (SyncRun) -> Void
  ) async throws -> SyncRun {
    var run = SyncRun()
    for part in stride(from: 0, to: seeds.count, by: 50) where !isOver.isRaised {
      run = try await OwnServer.with { [run] server in
        var run = run
        for seed in seeds[part..<min(part + 50, seeds.count)] where !isOver.isRaised {
          let (_, history, outcome) = try await once(seed, on: server)
          run.add(seed, history, outcome)
          tell(run)
        }
        return run
      }
    }
    return run
  }

  /// True for the seeds in which one phone is the field app in a browser: one in twenty, none of them with a server of
  /// its own.
  static func usesBrowser(_ seed: UInt64) -> Bool { [3, 14].contains(seed % 40) }

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
    guard usesBrowser(seed) else {
      return (seed, history, try await SyncWorld.run(history, seed: seed, on: server))
    }
    let outcome = try await Browser.open { try await SyncWorld.run(history, seed: seed, in: $0) }
    return (seed, history, outcome)
  }

  private mutating func add(_ seed: UInt64, _ history: [SyncEvent], _ outcome: SyncWorld.Outcome) {
    seeds += 1
    last = seed
    if Self.usesBrowser(seed) { browsers += 1 }
    tally.add(outcome.tally)
    for event in history { tally.events[event.kind, default: 0] += 1 }
    if !outcome.problems.isEmpty { violations.append((seed, outcome.problems)) }
  }

  private mutating func add(_ other: SyncRun) {
    seeds += other.seeds
    browsers += other.browsers
    tally.add(other.tally)
    violations += other.violations
  }

  /// The table of the run.
  var table: String {
    var rows: [(String, Int)] = [("seeds", seeds), ("seeds with the field app in a browser", browsers)]
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
