import Engine
import EngineFixtures
import FoundationEssentials
import Jobs
import Logging
import Postgres
import Store

/// A shop whose time is controlled by the test.
struct Timekeeping: Sendable {
  let shop: Shop

  var fixture: JobFixture { shop.fixture }

  init(_ fixture: JobFixture) async throws {
    shop = try await Shop(fixture)
  }

  /// The services, connected as a worker.
  var services: Services {
    Services(database: fixture.workers, rules: fixture.services.rules, keys: fixture.services.keys)
  }

  /// Makes a timekeeper, as in a process of its own.
  func keeper(_ adjust: (inout TimekeeperConfiguration) -> Void = { _ in }) async throws -> Timekeeper {
    var configuration = TimekeeperConfiguration()
    configuration.poll = .milliseconds(20)
    adjust(&configuration)
    return Timekeeper(
      services,
      records: try await Records.open(services),
      configuration: configuration,
      logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  /// Lets time pass for timers: each is due earlier by the interval.
  func pass(_ interval: String) async throws {
    try await fixture.superuser.execute("update core.timer set due_at = due_at - \(interval)::text::interval")
  }

  /// Returns how often the system took a transition of a record.
  func firings(_ transition: String, of record: UUID? = nil) async throws -> Int {
    try await fixture.superuser.value(
      """
      select count(*)::int from core.history h
      where h.record_id = \(record ?? shop.entry) and h.transition = \(transition) and h.actor_kind = 'system'
      """,
      as: Int.self
    )
  }

  /// Returns the armed timers of a record: transition, history number of the entry, times left.
  func timers(of record: UUID? = nil) async throws -> [String] {
    try await fixture.superuser.rows(
      """
      select concat_ws(' ', t.fire, t.entry_no, t.remaining) from core.timer t
      where t.record_id = \(record ?? shop.entry)
      order by t.entry_no, t.fire
      """,
      String.self
    )
  }
}
