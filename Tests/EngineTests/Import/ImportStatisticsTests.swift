import Domain
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

@testable import Engine

/// What the planner knows of the tables at once after an import, before autovacuum comes by.
@Suite(.timeLimit(.minutes(60))) struct ImportStatisticsTests {
  @Test func `a large import is analysed, a small one is not, and a name then reads few rows`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    let shop = try await Workshop.open(in: engine)
    try await engine.superuser.execute("alter table maintenance.entry set (autovacuum_enabled = false)")
    try await importing(shop, 0..<900)
    #expect(try await analysed(engine) < 900)
    try await importing(shop, 900..<3_000)
    #expect(try await analysed(engine) >= 3_000)
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
