internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The initial categories of a company: copies of the operator's template, which the company may change.
package struct BaseCategories: Sendable {
  private let records: Records
  private let services: Services

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Copies the template's categories that the company does not have.
  ///
  /// - Returns: the number of copied categories; a second run copies none.
  @discardableResult
  package func copy(to acting: ActingContext) async throws -> Int {
    let type = try records.catalogue.type("maintenance.category")
    let company = acting.company.id
    let context = acting.context(requestID: services.ids.next())
    return try await records.work.perform(context) { work in
      let (access, missing) = try work.read { pipeline in
        pipeline.rows(
          """
          select t.name from maintenance.base_category_template t
          where not exists (
            select from maintenance.category k
            where k.company_id = \(company) and k.machine_id is null and k.name_key = lower(btrim(t.name))
          )
          order by t.position, t.name
          """,
          String.self
        )
      }
      let writer = RecordWriter(type: type, acting: acting, access: access)
      let names = try missing.all
      for name in names {
        _ = try writer.create(id: work.newID(), fields: ["name": .string(name)], in: &work)
      }
      return names.count
    }
  }
}
