internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Checks that the category of a record is a base category or one of the record's own machine.
struct CategoryCheck {
  private let machine: String?
  private let owner: Ticket<UUID?>?

  /// Queues the query.
  init(_ fields: JSONObject, _ acting: ActingContext, _ pipeline: inout Pipeline) {
    machine = fields["machine_id"]?.string?.lowercased()
    owner = fields["category_id"]?.string.flatMap(UUID.init(uuidString:)).map { id in
      pipeline.rows(
        """
        select k.machine_id from maintenance.category k
        where k.company_id = \(acting.company.id) and k.id = \(id)
        """,
        UUID?.self
      )
    }
  }

  /// - Throws: `not_found`, `category_of_other_machine`.
  func require() throws {
    guard let owner else { return }
    guard let found = try owner.first else {
      throw DomainError(.notFound, "there is no such category", hint: "`fettle category list` shows them")
    }
    if let only = found, only.text != machine { throw DomainError(.categoryOfOtherMachine) }
  }
}
