import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Engine

/// What the planner knows of the tables after an import, before autovacuum comes by.
@Suite(.timeLimit(.minutes(60))) struct ImportStatisticsTests {
  @Test func `a table that has grown much is analysed, and a name then reads few rows`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let shop = try await Workshop.open(in: engine)
    try await engine.superuser.execute("alter table maintenance.entry set (autovacuum_enabled = false)")
    try await importing(shop, 0..<900)
    try await engine.superuser.execute("select core.renew_statistics()")
    #expect(try await analysed(engine) < 900)
    try await importing(shop, 900..<3_000)
    // A connection reports what it has written up to ten seconds later.
    try await until {
      try await engine.superuser.execute("select core.renew_statistics()")
      return try await analysed(engine) >= 3_000
    }
    let type = try engine.catalogue.type("maintenance.entry")
    let company = shop.company.id
    let plans = try await engine.services.database.transaction(
      .inside(company, user: shop.members["admin"]?.userID, readOnly: true)
    ) { tx in
      try ["WO-1500", "R-1500"].flatMap { name in
        try RecordName(type: type, company: "\(company)").indexed(name).flatMap { lookup in
          try tx.rows("explain (analyze, costs off, timing off, summary off) \(lookup)", String.self)
        }
      }
    }
    let text = plans.joined(separator: "\n")
    #expect(text.contains("entry_number") && text.contains("entry_external_ref"), "\(text)")
    #expect(!text.contains(/Rows Removed by Filter: \d\d/) && !text.contains("Seq Scan"), "\(text)")
    await engine.close()
  }

  /// To the planner, a company that the statistics lack has one record; any index then looks as good as the right one.
  @Test func `an import into a company that the statistics lack reads few rows`() async throws {
    let first = try await EngineFixture.open(TestDatabase.make())
    try await first.superuser.execute("alter table maintenance.entry set (autovacuum_enabled = false)")
    func filling(_ count: Int) async throws -> Int64 {
      let (before, open) = (try await read(first), try await connections(first))
      let engine = try await EngineFixture.open(first.database)
      try await importing(try await Workshop.open(in: engine), 0..<count)
      await engine.close()
      // Connections report what they have read when they end.
      try await until { try await connections(first) <= open }
      return try await read(first) - before
    }
    _ = try await filling(3_000)
    #expect(try await filling(4_000) < 40_000)
    await first.close()
  }

  private func connections(_ engine: EngineFixture) async throws -> Int64 {
    try await engine.superuser.value(
      """
      select count(*) from pg_stat_activity a
      where a.datname = current_database() and a.usename like 'fettle%'
      """,
      as: Int64.self
    )
  }

  /// Returns the number of entries that were read so far.
  private func read(_ engine: EngineFixture) async throws -> Int64 {
    try await engine.superuser.value(
      """
      select (s.seq_tup_read + s.idx_tup_fetch)::bigint
      from pg_stat_user_tables s
      where s.relid = 'maintenance.entry'::regclass
      """,
      as: Int64.self
    )
  }

  private func analysed(_ engine: EngineFixture) async throws -> Int64 {
    try await engine.superuser.value(
      "select c.reltuples::bigint from pg_class c where c.oid = 'maintenance.entry'::regclass",
      as: Int64.self
    )
  }

  private func importing(_ shop: Workshop, _ numbers: Range<Int>) async throws {
    let lines = numbers.map { "RM-001,Engine,Leak \($0),R-\($0)" }
    let text = "machine,category,description,external_ref\n\(lines.joined(separator: "\n"))\n"
    let columns = ["machine", "category", "description", "external_ref"]
    _ = try await shop.importing(
      text,
      ImportPlan(
        type: "maintenance.entry",
        mapping: columns.map { (column: $0, heading: $0) },
        createsMissing: true
      )
    )
  }
}
