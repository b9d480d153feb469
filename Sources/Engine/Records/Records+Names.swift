package import Domain
internal import FoundationEssentials
internal import Store

extension Records {
  /// The same fields with references by id: `machine=RM-001` becomes `machine_id=<its id>`, and
  /// `assigned_to=ana` the member's id.
  package func resolvingNames(in fields: JSONObject, type name: String, _ seat: Seat) async throws
    -> JSONObject
  {
    let definition = try catalogue.type(name).definition
    var resolved: JSONObject = [:]
    for (key, value) in fields.members {
      let reference = definition.references.first { $0.column == key || $0.column == "\(key)_id" }
      guard let reference, let text = value.string, UUID(uuidString: text) == nil else {
        resolved[reference?.column ?? key] = value
        continue
      }
      switch reference.target {
      case "core.membership":
        resolved[reference.column] = .string(
          try await Seats(services).member(text, of: seat.company).userID.text
        )
      case let target where !target.hasPrefix("core."):
        resolved[reference.column] = .string(try await resolve(seat, type: target, text).text)
      default:
        resolved[reference.column] = value
      }
    }
    return resolved
  }
}
