package import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// The engine's own company, which has the jobs and the audit of erasures: the erased companies have none.
package enum SystemCompany {
  /// Its id.
  package static var id: UUID { RequestKey.everybody }

  /// Runs a body in the system company, in a transaction inside another one.
  package static func inside(_ tx: Transaction, of company: UUID, _ body: () throws -> Void) throws {
    try tx.execute("select set_config('fettle.company_id', \(id.text), true)")
    try body()
    try tx.execute("select set_config('fettle.company_id', \(company.text), true)")
  }

  /// Writes an audit entry that names the erasure, and not its subject.
  package static func write(
    _ action: String,
    erasure: UUID,
    _ detail: JSONObject,
    by actor: Actor,
    _ tx: Transaction
  ) throws {
    let ids = UUIDv7Generator.shared
    let entry = AuditEntry(
      action: action,
      subjectType: "erasure",
      subjectID: erasure.text,
      detail: JSON(detail)
    )
    let context = WorkContext(company: id, actor: actor, user: nil, requestID: ids.next())
    try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
  }
}
