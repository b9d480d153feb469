import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// The reports of a household agree with its items.
@Suite(.timeLimit(.minutes(60))) struct InventoryReportTests {
  private static let reports = [
    "v1_inventory_value_by_category", "v1_inventory_value_by_location", "v1_inventory_value_by_month",
    "v1_warranty_cover",
  ]

  private func filled() async throws -> Household {
    let house = try await Household.open(timeZone: "Europe/Stockholm")
    for days in [10, 300, -10] { _ = try await house.item(daysLeft: days) }
    try await house.item(["purchase_price": "100.10", "category": "Garden", "location": "Shed"])
    try await house.item(["purchase_price": "0.05", "category": "garden ", "location": "Shed"])
    try await house.item(["purchase_price": "7", "currency": "EUR", "purchase_date": "2020-02-29"])
    let gone = try await house.item([
      "purchase_price": "999", "category": "Gone", "location": "Attic", "warranty_months": 12,
    ])
    _ = try await house.shop.records.delete(house.shop.acting("user"), type: "inventory.item", id: gone)
    return house
  }

  @Test(arguments: reports)
  func `items and value of a report are those of the items, currency by currency`(_ report: String)
    async throws
  {
    let house = try await filled()
    let company = house.shop.company.id
    let reader = house.shop.engine.database.connect(as: "fettle_report", poolSize: 1)
    let reported = try await reader.rows(
      """
      select v.currency, sum(v.items)::integer, sum(v.value) from report.\(identifier: report) v
      where v.company_id = \(company) group by v.currency order by v.currency
      """,
      String.self,
      Int.self,
      ExactDecimal.self
    )
    let counted = try await house.shop.engine.superuser.rows(
      """
      select i.currency, count(*)::integer, sum(coalesce(i.purchase_price, 0)) from inventory.item i
      where i.company_id = \(company) and i.deleted_at is null group by i.currency order by i.currency
      """,
      String.self,
      Int.self,
      ExactDecimal.self
    )
    #expect(reported.map(\.0) == ["EUR", "USD"] && reported.map(\.1) == counted.map(\.1))
    #expect(reported.map(\.2) == counted.map(\.2))
    #expect(counted.map(\.2) == [ExactDecimal("7"), ExactDecimal("100.15")] && counted.map(\.1) == [1, 5])
    await reader.close()
  }

  @Test func `categories are counted whatever the case, and cover is by status`() async throws {
    let house = try await filled()
    let company = house.shop.company.id
    let reader = house.shop.engine.database.connect(as: "fettle_report", poolSize: 1)
    let garden = try await reader.rows(
      """
      select v.items::integer, v.value from report.v1_inventory_value_by_category v
      where v.company_id = \(company) and v.category = 'garden'
      """,
      Int.self,
      ExactDecimal.self
    )
    #expect(garden.map(\.0) == [2] && garden.map(\.1) == [ExactDecimal("100.15")])
    let cover = try await reader.rows(
      """
      select v.warranty, sum(v.items)::integer from report.v1_warranty_cover v
      where v.company_id = \(company) group by v.warranty order by v.warranty
      """,
      String.self,
      Int.self
    )
    #expect(cover.map(\.0) == ["active", "expired", "expiring", "none"] && cover.map(\.1) == [1, 1, 1, 3])
    let total = try await reader.value(
      """
      select max(v.value_to_date) from report.v1_inventory_value_by_month v
      where v.company_id = \(company) and v.currency = 'USD'
      """,
      as: ExactDecimal.self
    )
    #expect(total == ExactDecimal("100.15"), "what was bought until the last month is all there is")
    await reader.close()
  }
}
