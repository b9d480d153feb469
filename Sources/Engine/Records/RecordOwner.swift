internal import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Finds the owner of a private record. Jobs need this, because they know only the record's id, and the
/// record itself is visible only to its owner.
///
/// The history, which the whole company can read, names the owner, unless the engine or an operator created
/// the record. Then each member is asked. The feed is not: it forgets old changes.
package enum RecordOwner {
  /// Returns the owner of a record, and lets the rest of the transaction run as this user; nil if there is no
  /// such record.
  package static func enter(company: UUID, type: RecordType, id: UUID, _ tx: Transaction) throws -> UUID? {
    let named = try find(company: company, type: type.name, id: id, tx)
    if let named, try sees(named, company: company, type: type, id: id, tx) { return named }
    let members = try tx.rows(
      "select m.user_id from core.membership m where m.company_id = \(company) order by m.user_id",
      UUID.self
    )
    for member in members where member != named {
      if try sees(member, company: company, type: type, id: id, tx) { return member }
    }
    return nil
  }

  /// Runs the rest of the transaction as a user; true if they see the record.
  private static func sees(
    _ user: UUID,
    company: UUID,
    type: RecordType,
    id: UUID,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.act(for: user)
    return try tx.value(
      "select exists (select from \(type.table) t where t.company_id = \(company) and t.id = \(id))",
      as: Bool.self
    )
  }

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
