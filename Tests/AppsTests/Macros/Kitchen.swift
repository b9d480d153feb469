import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store

/// A company whose members write down what they eat.
struct Kitchen: Sendable {
  let shop: Workshop

  var macros: Macros { Macros(shop.hall.services, shop.records) }
  var entitlements: Entitlements { Entitlements(shop.hall.operators) }
  /// The one who eats, unless another is named.
  var eater: ActingContext { shop.acting("user") }

  static func open(timeZone: String = "UTC", pro: Bool = false, in hall: Hall? = nil) async throws -> Kitchen
  {
    let kitchen = Kitchen(
      shop: try await Workshop.open(
        timeZone: timeZone,
        roles: ["admin", "user", "user2", "viewer"],
        in: hall
      )
    )
    if pro { try await kitchen.entitlements.grant(kitchen.shop.operatorContext, name: "pro") }
    return kitchen
  }

  /// Writes something down and returns it as it is kept.
  @discardableResult
  func log(_ fields: JSONObject, as name: String = "user") async throws -> JSONObject {
    let answer = try await macros.log(shop.acting(name), fields)
    return try await shop.records.show(shop.acting(name), type: "macros.entry", id: answer.id)
  }

  /// How many rows of a table a login sees inside the company.
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
  /// A member as text, whatever it is.
  func text(_ key: String) -> String? { self[key]?.displayText }
}
