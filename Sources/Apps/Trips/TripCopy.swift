internal import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Copies plans with their stops, without history, conversation or share links.
package struct TripCopy: Sendable {
  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Copies a plan with its stops in one unit of work. The copy is a draft.
  ///
  /// - Parameter title: the title of the copy; nil for the title of the plan.
  package func make(_ acting: ActingContext, of plan: UUID, title: String? = nil) async throws -> RecordAnswer
  {
    let original = try await records.show(acting, type: "trips.plan", id: plan)
    let stops = try await TripReader(services, records).stops(acting, plan: plan)
    let planType = try records.catalogue.type("trips.plan").definition
    let stopType = try records.catalogue.type("trips.stop").definition
    var fields = Self.fields(planType.editable, of: original)
    if let title { fields["title"] = .string(title) }
    let (id, given) = (services.ids.next(), fields)
    return try await records.perform(acting) { work in
      let answer = try records.create(acting, type: "trips.plan", id: id, fields: given, in: &work)
      try work.writeRowsNow()
      for stop in stops {
        var place = Self.fields(stopType.editable, of: stop)
        place["plan_id"] = .string(id.text)
        _ = try records.create(acting, type: "trips.stop", id: work.newID(), fields: place, in: &work)
      }
      return answer
    }
  }

  private static func fields(_ columns: [String], of document: JSONObject) -> JSONObject {
    JSONObject(columns.compactMap { column in document[column].map { (column, $0) } })
  }
}
