internal import Postgres
internal import Store

/// What day it is where a company is.
package struct Calendar: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// The company's date of today, as `yyyy-mm-dd`.
  package func today(_ acting: ActingContext) async throws -> String {
    let zone = acting.company.timeZone
    return try await services.database.value(
      "select (now() at time zone \(zone))::date::text",
      as: String.self
    )
  }
}
