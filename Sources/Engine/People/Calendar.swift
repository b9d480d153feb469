internal import Postgres
internal import Store

/// Reads the current day in a company's time zone.
package struct Calendar: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns today's date in the company's time zone, as `yyyy-mm-dd`.
  package func today(_ acting: ActingContext) async throws -> String {
    let zone = acting.company.timeZone
    return try await services.database.value(
      "select (now() at time zone core.known_zone(\(zone)))::date::text",
      as: String.self
    )
  }
}
