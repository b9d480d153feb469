internal import Apps
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Runs the engine's side of the measurement: starts and pauses random entries.
///
/// Each caller has its own entries, so that no caller makes another's transition fail. pgbench's clients use
/// the same division.
struct Transitions: Sendable {
  let records: Records
  let contexts: [Int: ActingContext]
  let companies: ClosedRange<Int>
  let entriesOfEach: Int
  let clients: Int

  init(_ database: Database, companies: ClosedRange<Int>, entriesOfEach: Int, clients: Int) async throws {
    let services = Services(database: database, rules: CompiledApps.rules) {
      throw DomainError(.internal, "the bench has no keys")
    }
    records = try await Records.open(services)
    var contexts: [Int: ActingContext] = [:]
    for number in companies { contexts[number] = try await Fixture.acting(in: number, database) }
    self.contexts = contexts
    self.companies = companies
    self.entriesOfEach = entriesOfEach
    self.clients = clients
  }

  /// Starts and pauses one random entry of a caller; returns 2, the number of units of work.
  func pair(client: Int) async throws -> Int {
    let company = Int.random(in: companies)
    let index = Int.random(in: 0..<entriesOfEach / clients) * clients + client + 1
    return try await pair(entry: Fixture.id(Fixture.entry(index, of: company)), company: company)
  }

  func pair(entry: UUID, company: Int) async throws -> Int {
    guard let acting = contexts[company] else { return 0 }
    for transition in ["start", "pause"] {
      _ = try await records.transition(
        acting,
        type: "maintenance.entry",
        id: entry,
        request: TransitionRequest(transition)
      )
    }
    return 2
  }

  /// Returns the statements of a start and a pause, grouped by round trip.
  ///
  /// Notifications are omitted, because they belong to no unit of work and are sent at most a
  /// hundred times per second.
  static func trace(_ server: BenchServer, entry: UUID, company: Int) async throws -> [[SQL]] {
    let seen = TracedRoundTrips()
    let database = server.connect(as: "fettle_app") { seen.add($0) }
    let transitions = try await Transitions(
      database,
      companies: company...company,
      entriesOfEach: 1,
      clients: 1
    )
    seen.clear()
    _ = try await transitions.pair(entry: entry, company: company)
    await database.close()
    return seen.all
  }
}
