import EngineFixtures
import Jobs
import Postgres
import TestDatabase
import Testing

/// What timekeepers let the planner know.
@Suite(.timeLimit(.minutes(60))) struct StatisticsTests {
  @Test func `a table that has grown much is analysed, and one that has not is left alone`() async throws {
    try await JobFixture.open { fixture in
      let time = try await Timekeeping(fixture)
      try await fixture.superuser.execute("alter table core.feed set (autovacuum_enabled = false)")
      try await fixture.superuser.execute("alter table core.history set (autovacuum_enabled = false)")
      let before = try await rows(of: "history", fixture)
      try await fixture.superuser.transaction { tx in
        try tx.execute(
          """
          insert into core.feed (company_id, scope, record_type, record_id, seq, op, version, changed_at)
          select \(fixture.company), 'c', 'maintenance.entry', gen_random_uuid(), 1000000 + n, 'put', 1, now()
          from generate_series(1, 2000) n
          """
        )
        try tx.execute("select pg_stat_force_next_flush()")
      }
      let keeper = try await time.keeper { $0.counting = .milliseconds(50) }
      let running = Task { try await keeper.run() }
      try await until { try await rows(of: "feed", fixture) >= 2_000 }
      running.cancel()
      _ = await running.result
      #expect(try await rows(of: "history", fixture) == before)
    }
  }

  /// Returns the number of rows that the planner believes a table to have.
  private func rows(of table: String, _ fixture: JobFixture) async throws -> Int64 {
    try await fixture.superuser.value(
      "select c.reltuples::bigint from pg_class c where c.oid = \("core.\(table)")::regclass",
      as: Int64.self
    )
  }
}
