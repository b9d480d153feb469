internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

extension Provisioning {
  /// A part of a company that a file does not contain.
  package struct LeftOut: Sendable, Hashable {
    /// The company's slug.
    package let company: String
    /// The number of things, such as records.
    package let count: Int64
    /// The kind of things, and why they are left out or how to take them along.
    package let what: String
  }
}

extension StateReader {
  /// Returns what a file with a state does not contain.
  ///
  /// - Parameter counts: the number of records in the file, by type; nil for a file that has no records on purpose.
  func leftOut(of state: CompanyState, beside counts: [String: Int64]?) async throws
    -> [Provisioning.LeftOut]
  {
    let company = acting.company.id
    let types = provisioning.records.catalogue.types
    let reasons = counts.map { counts in
      types.map { type in
        (type: type, listed: counts[type.name], fault: provisioning.types.fault(of: type.name))
      }
    }
    let followed = state.workflows ?? []
    let found: [(Int64, String)] = try await CompanyAdministration(provisioning.services)
      .read(acting, permission: "company.read") { tx, _ in
        var found = try tx.rows(
          """
          select count(*) filter (where r.days is not null), 'retention rules: set them with `fettle retention set`'
          from core.retention r where r.company_id = \(company)
          union all
          select count(*) filter (where r.held_for is not null), 'legal holds: set them with `fettle retention set`'
          from core.retention r where r.company_id = \(company)
          union all
          select count(*), 'schedules of its own: add them with `fettle schedule add`'
          from core.schedule s where s.company_id = \(company) and s.app = \(ScheduleStore.own)
          union all
          select count(*) filter (where n.reserved > 0), 'reserved numbers: numbers begin again'
          from core.number_series n where n.company_id = \(company)
          """,
          Int64.self,
          String.self
        )
        for choice in followed {
          let app = String(choice.type.prefix { $0 != "." })
          let shipped = try WorkflowStore.manifest(of: app, tx)?.workflows.compactMap(\.definition)
            .first { $0.name == choice.type }?.version
          guard let shipped, shipped != choice.version else { continue }
          found.append(
            (
              1,
              "workflow, version \(choice.version) of \(choice.type), which is not that of the app: install it with "
                + "`fettle workflow install` before the file is applied elsewhere"
            )
          )
        }
        for (type, listed, fault) in reasons ?? [] {
          let count = try tx.value(QuotaStore.count(type, company: company, upTo: .max), as: Int64.self)
          let key = type.definition.key.last ?? "a key"
          let why = fault ?? (listed == nil ? "add --records \(type.name)" : "without \(key)")
          found.append((count - (listed ?? 0), "records of \(type.name): \(why)"))
        }
        return found
      }
    return found.filter { $0.0 > 0 }
      .map { Provisioning.LeftOut(company: state.slug, count: $0.0, what: $0.1) }
  }
}
