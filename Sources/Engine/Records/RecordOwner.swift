internal import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// Finds the owner of a private record from history, which the whole company can read. Jobs need this,
/// because they know only the record's id, and the record itself is visible only to its owner.
package enum RecordOwner {
  /// Returns the member that the record was last transferred to, otherwise its creator; nil without history.
  package static func find(company: UUID, type: String, id: UUID, _ tx: Transaction) throws -> UUID? {
    try tx.value(
      """
      select coalesce(
        (select (h.changes -> 'created_by' ->> 1)::uuid
         from core.history h
         where h.company_id = \(company) and h.record_type = \(type) and h.record_id = \(id)
           and h.changes ? 'created_by'
         order by h.seq desc
         limit 1),
        (select coalesce(h.on_behalf_of, h.actor_id)
         from core.history h
         where h.company_id = \(company) and h.record_type = \(type) and h.record_id = \(id) and h.seq = 1))
      """,
      as: UUID?.self
    )
  }
}
