import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import TestTools
import Testing

/// The last day of a warranty is the same in Swift and in SQL.
@Suite(.timeLimit(.minutes(60))) struct WarrantyAgreementTests {
  @Test(arguments: [UInt64.random(in: 1...UInt64.max)])
  func `for any purchase and any months, Swift and PostgreSQL say the same day`(_ seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var days: [LocalDate] = []
    var months: [Int] = []
    var ends: [LocalDate?] = []
    for index in 0..<3_000 {
      let day = LocalDate(daysSince1970: Int.random(in: -36_500...60_000, using: &random))
      // A third of the cases are at the end of a month, where months differ.
      let start = try #require(LocalDate(year: day.year, month: day.month, day: 1))
      days.append(index % 3 == 0 ? start.adding(days: -1) : day)
      months.append(Int.random(in: 0...1200, using: &random))
      ends.append(index % 4 == 0 ? days[index].adding(days: Int.random(in: 0...5_000, using: &random)) : nil)
    }
    let engine = try await EngineFixture.shared()
    // The expression of the generated column, over columns of the same names.
    let generated = try await engine.superuser.value(
      """
      select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = 'inventory.item'::regclass and a.attname = 'warranty_expires_on' and a.attgenerated = 's'
      """,
      as: String.self
    )
    let rows = try await engine.superuser.rows(
      """
      select (\(SQL(trusted: generated)))::text
      from (
        select x.d::date as purchase_date, x.m::integer as warranty_months,
          nullif(x.u, '')::date as warranty_until, x.n
        from unnest(\(days.map(\.description)), \(months), \(ends.map { $0?.description ?? "" }))
          with ordinality x (d, m, u, n)
      ) i
      order by n
      """,
      String?.self
    )
    #expect(rows.count == days.count)
    for (index, row) in rows.enumerated() {
      let warranty = try Warranty(purchased: days[index], months: months[index], until: ends[index])
      #expect(warranty.expires?.description == row, "\(days[index]) + \(months[index]), seed \(seed)")
    }
  }

  @Test(arguments: [("2024-01-31", 1, "2024-02-29"), ("2024-02-29", 12, "2025-02-28")])
  func `the table and the view have the last day, the days that are left and the status`(
    _ bought: String,
    _ months: Int,
    _ last: String
  ) async throws {
    let house = try await Household.open()
    let item = try await house.item(["purchase_date": .string(bought), "warranty_months": .integer(months)])
    let shown = try await house.show(item)
    let today = try await house.day(0)
    let warranty = try Warranty(purchased: LocalDate(parsing: bought), months: months)
    #expect(shown.text("warranty_expires_on") == last)
    #expect(shown.text("days_remaining") == warranty.daysRemaining(on: today).map(String.init))
    #expect(shown.text("warranty_status") == warranty.status(on: today).rawValue)
  }
}
