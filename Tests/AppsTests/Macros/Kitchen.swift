import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store

/// A company whose members log their meals.
struct Kitchen: Sendable {
  let shop: Workshop

  var macros: Macros { Macros(shop.engine.services, shop.records) }
  var entitlements: Entitlements { Entitlements(shop.engine.operators) }
  /// The default member who logs meals.
  var eater: ActingContext { shop.acting("user") }

  static func open(timeZone: String = "UTC", pro: Bool = false, in engine: EngineFixture? = nil) async throws
    -> Kitchen
  {
    let kitchen = Kitchen(
      shop: try await Workshop.open(
        timeZone: timeZone,
        roles: ["admin", "user", "user2", "viewer"],
        in: engine
      )
    )
    if pro { try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro") }
    return kitchen
  }

  /// Logs a meal and returns it as stored.
  @discardableResult
  func log(_ fields: JSONObject, as name: String = "user") async throws -> JSONObject {
    let answer = try await macros.log(shop.acting(name), fields)
    return try await shop.records.show(shop.acting(name), type: "macros.entry", id: answer.id)
  }

  /// The number of rows of a table that a login sees inside the company.
  func seen(_ table: String, by user: UUID?, through database: Database) async throws -> Int {
    let name = table.split(separator: ".").map(String.init)
    return try await database.transaction(.inside(shop.company.id, user: user)) { tx in
      try tx.value(
        "select count(*) from \(identifier: name[0], name[1]) t where t.company_id = \(shop.company.id)",
        as: Int.self
      )
    }
  }
}

extension JSONObject {
  /// A member of the object as text, of any type.
  func text(_ key: String) -> String? { self[key]?.displayText }
}
