internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// Runs the engine's side of the measurement: starts and pauses random entries.
///
/// Each caller has its own entries, so that no caller makes another's transition fail. pgbench's clients use the same
/// division.
struct Transitions: Sendable {
  typealias Entries = (companies: ClosedRange<Int>, each: Int)

  let records: Records
  private let contexts: [Int: ActingContext]
  private let entries: Entries
  private let clients: Int

  init(_ server: BenchServer, _ database: Database, _ entries: Entries, clients: Int) async throws {
    records = try await Records.open(server.services(database))
    var contexts: [Int: ActingContext] = [:]
    for number in entries.companies { contexts[number] = try await Fixture.acting(in: number, database) }
    self.contexts = contexts
    self.entries = entries
    self.clients = clients
  }

  /// Starts and pauses random entries in all callers for a period.
  func load(seconds: Int) async throws -> Sample {
    try await Load.tasks(clients, seconds: seconds) { client in
      let index = Int.random(in: 0..<entries.each / clients) * clients + client + 1
      return try await pair(index, of: Int.random(in: entries.companies))
    }
  }

  /// Starts and pauses an entry; returns 2, the number of units of work.
  func pair(_ index: Int, of company: Int) async throws -> Int {
    guard let acting = contexts[company] else { return 0 }
    for transition in ["start", "pause"] {
      let (entry, request) = (Fixture.entry(index, of: company), TransitionRequest(transition))
      _ = try await records.transition(acting, type: "maintenance.entry", id: entry, request: request)
    }
    return 2
  }

  /// Returns the script of the traced start and pause of the last entry, which had version 1 before.
  ///
  /// - Parameter first: the number of entries to leave out, those with the lowest numbers.
  static func script(_ trace: Trace, _ plan: Plan, _ entries: Entries, first: Int = 0) async throws
    -> TraceScript
  {
    let company = entries.companies.lowerBound
    let marks = TraceScript.Marks(
      entry: Fixture.entry(entries.each, of: company),
      company: entries.companies.count == 1 ? nil : Fixture.id(company),
      versions: [2, 3]
    )
    let place = "random(0, \((entries.each - first) / plan.clients - 1)) * \(plan.clients) + :client_id + 1"
    let c = "\\set c random(\(company), \(entries.companies.upperBound))"
    let head = [c, "\\set e :c * 1000000 + \(first) + \(place)"]
    return try await TraceScript(trace, plan.server, marks, head: head)
  }
}

struct TransitionFigures {
  let plan: Plan

  private static let one = Transitions.Entries(1...1, Fixture.entriesOfOne)

  /// Measures single transitions beside pgbench, which repeats the engine's statements.
  func measure() async throws -> [Line] {
    try await measure("1 company", Self.one)
      + measure("100 companies", (Fixture.hundred, Fixture.entriesOfEach))
  }

  private func measure(_ name: String, _ entries: Transitions.Entries) async throws -> [Line] {
    Report.progress("transitions, \(name)")
    let company = entries.companies.lowerBound
    let trace = try await Trace.of(plan.server) { database in
      let own = (company...company, entries.each)
      let transitions = try await Transitions(plan.server, database, own, clients: 1)
      return { _ = try await transitions.pair(entries.each - 1 + $0, of: company) }
    }
    let script = try await Transitions.script(trace, plan, entries)
    plan.show(script, name)
    let ours = Side.rate("transitions, \(name)", aim: .ratioAtLeast(0.8)) { try await engine(entries) }
    return try await plan.contest("transitions/s", ours, beside: [.pgbench(plan, script, units: 2)])
  }

  /// Measures the engine once, on new connections without prepared statements, as pgbench has them.
  private func engine(_ entries: Transitions.Entries) async throws -> Sample {
    let clients = plan.clients
    return try await plan.server.withConnection(as: "fettle_app", poolSize: clients) { database in
      let transitions = try await Transitions(plan.server, database, entries, clients: clients)
      // Opens all connections first; pgbench also does this before it counts.
      try await withThrowingTaskGroup { group in
        for _ in 0..<clients { group.addTask { try await database.execute("select pg_sleep(0.05)") } }
        try await group.waitForAll()
      }
      return try await transitions.load(seconds: plan.seconds)
    }
  }

  /// Measures transitions of 10,000 entries in one call, beside the same engine with one entry per call.
  func bulk() async throws -> [Line] {
    try await plan.server.withConnection(as: "fettle_app") { database in
      let transitions = try await Transitions(plan.server, database, Self.one, clients: 1)
      let acting = try await Fixture.acting(in: 1, database)
      let ours = Side.rate("transition of 10,000 entries at once", aim: .ratioAtLeast(20)) {
        try await Sample.timed { try await all(transitions.records, acting) }
      }
      let peer = Side.rate("one at a time") { try await transitions.load(seconds: plan.seconds) }
      return try await plan.contest("transitions/s", ours, beside: [peer])
    }
  }

  private func all(_ records: Records, _ acting: ActingContext) async throws -> Int {
    var units = 0
    for (transition, status) in [("start", "pending"), ("pause", "in_progress")] {
      var query = RecordQuery()
      query.filters = [(column: "status", value: status)]
      query.limit = 10_000
      let request = TransitionRequest(transition)
      let (type, all) = ("maintenance.entry", query)
      units += try await records.transitionAll(acting, type: type, where: all, request: request).done
    }
    return units
  }
}
