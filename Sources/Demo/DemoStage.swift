package import Domain
package import Engine
package import FoundationEssentials
internal import Secrets
package import Store

/// The company `demo` on a day, with the use cases that fill it with data.
package struct DemoStage: Sendable {
  /// One series suffices, since a database has one demo company.
  private static let series = DemoSeries("guest")

  package let services: Services
  package let records: Records
  package let company: CompanyRow
  /// The actor of changes that are not made by a member.
  package let actor: Actor
  private let operatorName: String
  /// Today in the company's time zone.
  package let today: LocalDate

  init(
    _ services: Services,
    _ records: Records,
    _ company: CompanyRow,
    actor: Actor,
    operatorName: String = "demo"
  )
    async throws
  {
    self.services = services
    self.records = records
    self.company = company
    self.actor = actor
    self.operatorName = operatorName
    let acting = ActingContext(company: company, actor: actor, user: nil)
    today = try LocalDate(parsing: try await Calendar(services).today(acting))
  }

  /// The acting context of the actor in the company.
  package var acting: ActingContext { ActingContext(company: company, actor: actor, user: nil) }

  /// Returns the acting context of an operator on behalf of a member: `eva` for eva@demo.example.
  package func member(_ handle: String) async throws -> ActingContext {
    try await ActingContexts(services).take(company: company.slug, operatorName: operatorName, as: handle)
  }

  /// Returns the id of a row that a guest sees.
  package func id(_ type: String, _ index: Int) -> UUID {
    DemoIDs(series: Self.series).id(type, "\(company.id.text)/\(index)")
  }
}
