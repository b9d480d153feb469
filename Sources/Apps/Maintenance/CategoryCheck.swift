internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Checks that the category of an entry or a plan is a base category or belongs to the same machine.
struct CategoryCheck {
  private let machine: UUID?
  private let found: Ticket<UUID?>?

  /// Queues the query for the category, if the fields name one.
  init(_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) {
    func id(_ column: MaintenanceEntry.CodingKeys) -> UUID? {
      fields[column.rawValue]?.string.flatMap(UUID.init(text:))
    }
    machine = id(.machineID)
    found = id(.categoryID).map { id in
      pipeline.rows(
        """
        select k.machine_id from maintenance.category k
        where k.company_id = \(acting.company.id) and k.id = \(id)
        """,
        UUID?.self
      )
    }
  }

  /// Checks the category once the query has completed.
  ///
  /// - Throws: `not_found` if it does not exist, `category_of_other_machine` if it belongs to another
  ///   machine.
  func require() throws {
    guard let found else { return }
    guard let owner = try found.first else {
      throw DomainError(.notFound, "there is no such category", hint: "list them with `fettle category list`")
    }
    guard Domain.Category.applies(to: machine, limitedTo: owner) else {
      throw DomainError(.categoryOfOtherMachine)
    }
  }
}
