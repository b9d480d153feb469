package import Domain

/// A responder's answer to a message: text, a trip, or both.
///
/// ```json
/// { "message": "Three days along the coast, with two sunsets.",
///   "plan": { "title": "Lofoten", "destination": "Reine", "starts_on": "2026-02-10", "ends_on": "2026-02-12",
///             "stops": [{ "day_no": 1, "name": "Hamnøy bridge", "lat": 67.9443, "lon": 13.1342,
///                         "best_light": "blue_hour" }] } }
/// ```
///
/// A plan with an `id` changes that plan of the conversation and adds stops to it. Without an `id`, it is a
/// new plan.
package struct PlanAnswer: Sendable, Hashable, Decodable {
  /// The assistant's text; nil for none.
  package let message: String?
  /// The trip; nil for none.
  package let plan: Plan?

  /// A trip as the responder returns it.
  package struct Plan: Sendable, Hashable, Decodable {
    /// The id of the plan to change; nil for a new plan.
    package let id: String?
    /// The columns of the plan.
    package let fields: JSONObject
    /// The columns of each stop, in order.
    package let stops: [JSONObject]

    private static let columns = [
      "title", "destination", "lat", "lon", "starts_on", "ends_on", "summary",
    ]

    package init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: Self.columns + ["id", "stops"])
      id = try object.optional("id")
      var fields: JSONObject = [:]
      for column in Self.columns {
        if let value = try object.optional(column, as: JSONValue.self) { fields[column] = value }
      }
      self.fields = fields
      let stops = try object.value("stops", default: [Stop]())
      guard stops.count <= 1_000 else { throw object.invalid("stops", "A trip has at most 1000 stops") }
      self.stops = stops.map(\.fields)
    }
  }

  private struct Stop: Decodable {
    let fields: JSONObject

    private static let columns = ["day_no", "position", "name", "lat", "lon", "best_light", "notes"]

    init(from decoder: any Decoder) throws {
      let object = try StrictObject(decoder, keys: Self.columns)
      var fields: JSONObject = [:]
      for column in Self.columns {
        if let value = try object.optional(column, as: JSONValue.self) { fields[column] = value }
      }
      self.fields = fields
    }
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["message", "plan"])
    message = try object.optional("message")
    plan = try object.optional("plan")
    guard message?.isEmpty == false || plan != nil else {
      throw object.invalid("message", "The answer has neither a message nor a plan")
    }
  }
}
