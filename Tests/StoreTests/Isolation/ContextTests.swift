import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The context of a transaction determines the visible rows, and does not leak into the next transaction.
@Suite struct ContextTests {
  private struct Leftover: Sendable {
    let backend: Int32
    let company: UUID?
    let rows: Int64
    let setting: String?
  }

  private static func leftover(_ pool: Database) async throws -> Leftover {
    let row = try await pool.first(
      """
      select pg_backend_pid(), core.current_company(), (select count(*) from maintenance.entry),
        nullif(current_setting('fettle.write', true), '')
      """,
      Int32.self,
      UUID?.self,
      Int64.self,
      String?.self
    )
    let (backend, company, rows, setting) = try #require(row)
    return Leftover(backend: backend, company: company, rows: rows, setting: setting)
  }

  private static func one() async throws -> Database {
    try await TwoCompanies.shared().database.connect(as: "fettle_app", poolSize: 1)
  }

  private static func counted(_ value: String) async throws -> Int64 {
    var options = TransactionOptions()
    options.settings = [.text("fettle.company_id", value)]
    return try await TwoCompanies.shared().app.transaction(options) { tx in
      try tx.value("select count(*) from maintenance.entry", as: Int64.self)
    }
  }

  @Test func `an empty context and one of nobody show nothing`() async throws {
    try await #expect(Self.counted("") == 0)
    try await #expect(Self.counted("00000000-0000-0000-0000-000000000000") == 0)
    try await #expect(Self.counted(TwoCompanies.a.uuidString) == 1, "the control: a company's own")
  }

  @Test(arguments: ["garbage", "*", "' or true --", " ", "a0000000-0000-7000-8000-00000000000", "{}"])
  func `a context of garbage is an error and not an answer`(_ value: String) async throws {
    let state = await Refusal.state { _ = try await Self.counted(value) }
    #expect(state == "22P02")
  }

  @Test func `nothing of a context is left to the next transaction of the connection`() async throws {
    let pool = try await Self.one()
    let inside = try await pool.transaction(
      .inside(TwoCompanies.a, user: TwoCompanies.id("a", 1), mode: .engine)
    ) { tx in
      try tx.first("select pg_backend_pid(), count(*) from maintenance.entry", Int32.self, Int64.self)
    }
    let (backend, rows) = try #require(inside)
    #expect(rows == 1)
    let after = try await Self.leftover(pool)
    #expect(after.backend == backend)
    #expect(after.company == nil)
    #expect(after.rows == 0)
    #expect(after.setting == nil)
    await pool.close()
  }

  @Test func `nothing is left after an error`() async throws {
    let pool = try await Self.one()
    let state = await Refusal.state {
      try await pool.transaction(.inside(TwoCompanies.a, mode: .engine)) { tx in
        _ = try tx.execute("select 1 / 0")
      }
    }
    #expect(state == "22012")
    let after = try await Self.leftover(pool)
    #expect(after.company == nil)
    #expect(after.rows == 0)
    #expect(after.setting == nil)
    await pool.close()
  }

  @Test func `nothing is left after the body itself throws`() async throws {
    struct Change: Error {}
    let pool = try await Self.one()
    await #expect(throws: Change.self) {
      try await pool.transaction(.inside(TwoCompanies.a)) { tx in
        try tx.execute("select 1")
        throw Change()
      }
    }
    let after = try await Self.leftover(pool)
    #expect(after.company == nil)
    #expect(after.rows == 0)
    await pool.close()
  }

  @Test(.timeLimit(.minutes(60))) func `nothing is left after a cancelled task`() async throws {
    let companies = try await TwoCompanies.shared()
    let pool = try await Self.one()
    let mark = UUID().uuidString
    let task = Task {
      try await pool.transaction(.inside(TwoCompanies.a, mode: .engine, statementTimeout: nil)) { tx in
        try tx.execute("select pg_sleep(600), \(mark)::text")
      }
    }
    // Cancelled only once the server is executing it.
    while try await companies.superuser.value(
      "select count(*) from pg_stat_activity where usename = 'fettle_app' and wait_event = 'PgSleep'",
      as: Int64.self
    )
      == 0
    { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let after = try await Self.leftover(pool)
    #expect(after.company == nil)
    #expect(after.rows == 0)
    #expect(after.setting == nil)
    await pool.close()
  }

  @Test func `a savepoint that is rolled back does not bring another company's context back`() async throws {
    let companies = try await TwoCompanies.shared()
    let seen = try await companies.app.transaction(.inside(TwoCompanies.a)) { tx in
      _ = try Refusal.state(tx) { inner in
        try inner.execute(SQL(trusted: "set local fettle.company_id = '\(TwoCompanies.b)'"))
        try inner.execute("select 1 / 0")
      }
      return try tx.value("select core.current_company()", as: UUID?.self)
    }
    #expect(seen == TwoCompanies.a)
  }
}
