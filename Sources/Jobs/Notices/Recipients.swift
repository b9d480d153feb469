internal import Domain
internal import FoundationEssentials
internal import Postgres

extension Recipient {
  /// Returns the users that an effect addresses, from the current record. The role `admin` includes owners.
  /// The result is empty if the record has no creator or its column is empty.
  func people(of document: JSONObject, company: UUID, _ tx: Transaction) throws -> [UUID] {
    switch self {
    case .role(let role):
      try tx.rows(
        """
        select m.user_id from core.membership m
        where m.company_id = \(company) and m.status = 'active'
          and (m.role = \(role) or \(role) = 'admin' and m.role = 'owner')
        order by m.user_id
        """,
        UUID.self
      )
    case .creator: [document["created_by"]?.string.flatMap(UUID.init(text:))].compactMap { $0 }
    case .field(let column): [document[column]?.string.flatMap(UUID.init(text:))].compactMap { $0 }
    }
  }
}
