import Apps
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store

/// Two people of one company, each with trips of their own.
struct Travellers: Sendable {
  let shop: Workshop
  /// The owner of the records that ``trip()`` and ``conversation()`` create.
  let ana: ActingContext

  var records: Records { shop.records }
  var bea: ActingContext { shop.acting("user2") }
  var shares: Shares { Shares(shop.engine.services, records) }
  var reader: TripReader { TripReader(shop.engine.services, records) }

  /// - Parameter acting: the acting context of Ana; by default the company's user.
  init(shop: Workshop, as acting: ActingContext? = nil) {
    self.shop = shop
    ana = acting ?? shop.acting("user")
  }

  static func open() async throws -> Travellers {
    Travellers(shop: try await Workshop.open(roles: ["admin", "user", "user2", "viewer"]))
  }

  /// Creates a trip of Ana to Lofoten, three days with three stops.
  func trip() async throws -> UUID {
    let plan = try await records.create(
      ana,
      type: "trips.plan",
      fields: [
        "title": "Lofoten, in winter", "destination": "Reine; Norway", "starts_on": "2026-02-10",
        "ends_on": "2026-02-12", "summary": "Snow & light",
      ]
    ).id
    let stops: [JSONObject] = [
      ["day_no": 1, "position": 2, "name": "Reine <harbour>", "lat": "67.9324", "lon": "13.0887"],
      [
        "day_no": 1, "position": 1, "name": "Hamnøy bridge", "lat": "67.944300", "lon": "13.1342",
        "best_light": "blue_hour", "notes": "Tripod, crampons",
      ],
      ["day_no": 3, "position": 1, "name": "Somewhere"],
    ]
    for var stop in stops {
      stop["plan_id"] = .id(plan)
      _ = try await records.create(ana, type: "trips.stop", fields: stop)
    }
    return plan
  }

  func conversation() async throws -> UUID {
    try await records.create(ana, type: "trips.conversation", fields: ["title": "Winter"]).id
  }

  @discardableResult
  func say(_ text: String, in conversation: UUID, as acting: ActingContext? = nil) async throws -> UUID {
    try await records.create(
      acting ?? ana,
      type: "trips.message",
      fields: ["conversation_id": .id(conversation), "author": "user", "content": .string(text)]
    ).id
  }
}
