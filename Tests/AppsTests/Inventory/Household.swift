import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase

/// A company whose members keep an inventory.
struct Household: Sendable {
  let shop: Workshop

  var labels: ItemLabels { ItemLabels(shop.engine.services, shop.records) }
  var collections: Collections { Collections(shop.engine.services, shop.records) }

  static func open(timeZone: String = "UTC") async throws -> Household {
    Household(shop: try await Workshop.open(timeZone: timeZone, roles: ["admin", "user", "user2", "viewer"]))
  }

  /// Today's date in the household's time zone, plus a number of days.
  func day(_ days: Int) async throws -> LocalDate {
    let today = try await Calendar(shop.engine.services).today(shop.operatorContext)
    return try LocalDate(parsing: today).adding(days: days)
  }

  /// Creates an item, by default a drill bought today.
  @discardableResult
  func item(_ fields: JSONObject = [:], as name: String = "user") async throws -> UUID {
    var complete: JSONObject = [
      "name": "Drill", "category": "Tools", "purchase_date": .string(try await day(0).description),
    ]
    for (key, value) in fields.members { complete[key] = value }
    return try await shop.records.create(shop.acting(name), type: "inventory.item", fields: complete).id
  }

  /// Creates an item with a one-year warranty that has the given number of days left.
  func item(daysLeft days: Int, as name: String = "user") async throws -> UUID {
    let last = try await day(days)
    return try await item(
      ["purchase_date": .string(try last.adding(months: -12).description), "warranty_months": 12],
      as: name
    )
  }

  func update(_ item: UUID, _ fields: JSONObject, as name: String = "user") async throws {
    _ = try await shop.records.update(shop.acting(name), type: "inventory.item", id: item, fields: fields)
  }

  func show(_ item: UUID) async throws -> JSONObject {
    try await shop.records.show(shop.acting("user"), type: "inventory.item", id: item)
  }

  /// Scans for expiring warranties, as the worker does.
  func scan(_ item: UUID? = nil) async throws {
    let company = shop.company.id
    let worker = shop.engine.database.connect(as: "fettle_worker", poolSize: 1)
    try await worker.transaction(.inside(company, mode: .engine)) { tx in
      try WarrantyScan.run(company: company, item: item, tx)
    }
    await worker.close()
  }

  /// The notices about an item: recipient, date of the key, and state.
  func alerts(_ item: UUID) async throws -> [(to: UUID, day: String, state: String)] {
    try await shop.engine.superuser.rows(
      """
      select n.user_id, split_part(n.dedupe_key, ':', 3), n.state from core.notification n
      where n.company_id = \(shop.company.id) and n.record_id = \(item) and n.template = 'inventory.warranty_expiring'
      order by 2
      """,
      UUID.self,
      String.self,
      String.self
    ).map { (to: $0.0, day: $0.1, state: $0.2) }
  }
}
