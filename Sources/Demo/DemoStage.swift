package import Domain
package import Engine
package import FoundationEssentials
internal import Secrets
package import Store

/// The company `demo` on a day, and the use cases by which apps fill it.
package struct DemoStage: Sendable {
  /// Every demo company has the rows of this series: a database has one.
  private static let series = DemoSeries("guest")

  package let services: Services
  package let records: Records
  package let company: CompanyRow
  /// The actor of changes that no member makes.
  package let actor: Actor
  private let operatorName: String
  /// The company's day.
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

  /// The actor in the company.
  package var acting: ActingContext { ActingContext(company: company, actor: actor, user: nil) }

  /// A member in the company, for whom the operator acts: `eva` for eva@demo.example.
  package func member(_ handle: String) async throws -> ActingContext {
    try await ActingContexts(services).take(company: company.slug, operatorName: operatorName, as: handle)
  }

  /// The id of a row that a guest finds.
  package func id(_ type: String, _ index: Int) -> UUID {
    DemoIDs(series: Self.series).id(type, "\(company.id.text)/\(index)")
  }
}
