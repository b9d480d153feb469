internal import Domain
package import FoundationEssentials
package import Postgres
package import Store

/// Finds the owner of a private record. Jobs need this, because they know only the record's id, and the record
/// and its history are visible only to the owner.
///
/// The history names the owner, unless the engine or an operator created the record. Then each member is asked.
/// The feed is not: it forgets old changes.
package enum RecordOwner {
  /// Returns the owner of a record, and lets the rest of the transaction run as this user; nil if there is no
  /// such record.
  package static func enter(company: UUID, type: RecordType, id: UUID, _ tx: Transaction) throws -> UUID? {
    let named = try find(type: type.name, id: id, tx)
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

  /// Returns the member that a record of the transaction's company was last transferred to, otherwise its
  /// creator; nil without history.
  package static func find(type: String, id: UUID, _ tx: Transaction) throws -> UUID? {
    try tx.value("select core.record_owner(\(type), \(id))", as: UUID?.self)
  }
}
