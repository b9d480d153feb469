internal import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// Whose a private record is, asked where the owner is not known yet and so the record itself cannot be seen: a job
/// knows ids and nothing else, and history is the company's.
package enum RecordOwner {
  /// The member whom history names as the last one it was made over to, or else as its maker.
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
