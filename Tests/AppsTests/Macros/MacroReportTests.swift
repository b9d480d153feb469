import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Reports of the macros app.
@Suite(.timeLimit(.minutes(60))) struct MacroReportTests {
  @Test func `days of macros are seen by their owner alone`() async throws {
    let shop = try await Workshop.open(roles: ["user", "user2"])
    for (name, grams) in [("user", 10), ("user", 30), ("user2", 99)] as [(String, Int64)] {
      _ = try await shop.records.create(
        shop.acting(name),
        type: "macros.entry",
        fields: [
          "protein_g": .integer(grams), "eaten_at": "2026-03-02T12:00:00Z", "local_date": "2026-03-02",
        ]
      )
    }
    let company = shop.company.id
    func days(_ user: UUID?) async throws -> [String] {
      try await shop.engine.services.database.transaction(.inside(company, user: user, readOnly: true)) {
        tx in
        try tx.rows(
          "select concat_ws('|', v.local_date, v.entries, v.protein_g) from report.v1_macro_day v",
          String.self
        )
      }
    }
    #expect(try await days(shop.members["user"]?.userID) == ["2026-03-02|2|40.0"])
    #expect(try await days(shop.members["owner"]?.userID).isEmpty)
    #expect(try await shop.report("v1_macro_day", "local_date").isEmpty)
  }
}
