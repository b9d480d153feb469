internal import Cluster
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import TestDatabase

/// Runs the rounds. Each enqueues jobs, injects faults, and checks the guarantees after all jobs have ended.
struct Contest: ~Copyable {
  private let arena: Arena
  private let referee: Referee
  private let options: Options
  private var team: Team
  private var outside: OutsideReader
  private var jobs: [PlacedJob] = []
  private(set) var counts = ChaosCounts()

  /// The size of a run.
  struct Options: Sendable {
    let rounds: Int
    let seed: UInt64
    let workers: Int
    let jobs: Int
    /// The number of rounds from one kill of PostgreSQL to the next; nil for no kill.
    let killsServerEvery: Int?
  }

  /// - Parameter folder: the existing folder for the workers' files.
  init(_ arena: Arena, _ options: Options, folder: String) throws {
    let log = try OutsideLog(path: "\(folder)/outside")
    let team = try Team(
      options.workers,
      arguments: [
        "--host", arena.cluster.socketDirectory, "--port", String(arena.cluster.port),
        "--database", arena.database.parameters["dbname"] ?? "", "--log", log.path,
        "--parent", String(ProcessInfo.processInfo.processIdentifier),
      ],
      errors: "\(folder)/workers"
    )
    self.arena = arena
    self.options = options
    self.team = team
    referee = Referee(arena: arena)
    outside = OutsideReader(path: log.path)
  }

  /// Runs a round.
  ///
  /// - Throws: ``ViolatedGuarantee``.
  mutating func play(_ round: Int) async throws {
    let killsServer = options.killsServerEvery.map { round.isMultiple(of: $0) } ?? false
    let plan = RoundPlan(
      seed: options.seed,
      round: round,
      jobs: options.jobs,
      workers: options.workers,
      companies: arena.companies.count,
      killsServer: killsServer
    )
    let placed = try await arena.enqueue(plan)
    jobs += placed
    try await harm(plan, placed)
    team.wakeAll()
    try outside.read()
    let outcomes = try await referee.judge(placed, outside.traces)
    counts.add(plan, outcomes)
  }

  /// Checks all jobs again, with log lines that stopped workers wrote late, and runs the checks of `fettle
  /// verify`.
  ///
  /// - Parameter progress: called after every thousand jobs with the number of checked jobs and of all jobs.
  /// - Throws: ``ViolatedGuarantee``.
  mutating func end(_ progress: (_ judged: Int, _ all: Int) -> Void) async throws {
    try outside.read()
    for start in stride(from: 0, to: jobs.count, by: 1_000) {
      let end = min(start + 1_000, jobs.count)
      _ = try await referee.judge(Array(jobs[start..<end]), outside.traces)
      progress(end, jobs.count)
    }
    try await referee.verify()
    counts.workers = team.started
    counts.acts = outside.traces.values.reduce(0) { $0 + $1.acts }
  }

  /// Injects the planned faults until all jobs have ended.
  private mutating func harm(_ plan: RoundPlan, _ placed: [PlacedJob]) async throws {
    let began = ContinuousClock.now
    var faults = plan.faults[...]
    var serverDies = plan.serverDies
    var nextPoll = began
    while true {
      try team.restartEnded()
      let time = ContinuousClock.now - began
      while let next = faults.first, next.after <= time {
        team.suffer(next.fault, next.worker)
        faults.removeFirst()
      }
      if let moment = serverDies, moment <= time {
        serverDies = nil
        try arena.cluster.crash()
        try await arena.cluster.start()
        counts.servers += 1
      }
      if ContinuousClock.now >= nextPoll {
        counts.longest = max(counts.longest, try await referee.overdue())
        let open = try await referee.open(placed)
        if open.isEmpty { return }
        guard time < .seconds(300) else {
          throw ViolatedGuarantee(
            guarantee: "every job ends",
            detail: open.map { "\($0.id.uuidString.lowercased()) is \($0.state)" }.joined(separator: ", ")
          )
        }
        nextPoll = .now + .milliseconds(40)
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
