package import Domain
package import FoundationEssentials
package import Postgres

/// The versions of workflows that companies install for themselves.
extension WorkflowStore {
  /// Returns the versions of a workflow that a company may follow: those of the app, and its own, each own version after
  /// the one from which it was made. The app's first comes first.
  ///
  /// - Parameter company: nil for the app's versions only.
  package static func versions(of type: String, for company: UUID?, _ tx: Transaction) throws -> [Int] {
    try tx.rows(
      """
      select w.version
      from core.workflow_definition w
      left join core.workflow_own o
        on o.company_id = \(nullable: company) and o.record_type = w.record_type and o.version = w.version
      where w.record_type = \(type)
        and (w.version < \(Int32(clamping: WorkflowDefinition.ownVersions.lowerBound)) or o.version is not null)
      order by coalesce(o.based_on, w.version), w.version
      """,
      Int.self
    )
  }

  /// Returns the app's version from which each of a company's own versions was made, by the own version's number.
  package static func bases(of type: String, for company: UUID, _ tx: Transaction) throws -> [Int: Int] {
    let rows = try tx.rows(
      """
      select o.version, o.based_on from core.workflow_own o
      where o.company_id = \(company) and o.record_type = \(type)
      """,
      Int.self,
      Int.self
    )
    return Dictionary(rows) { first, _ in first }
  }

  /// Stores an own version of a company under the next number.
  ///
  /// - Returns: the number, and false if the company had the same version already.
  package static func install(
    _ definition: WorkflowDefinition,
    company: UUID,
    _ tx: Transaction
  ) throws -> (version: Int, isNew: Bool) {
    let body = try JSON(encoding: definition)
    let base = Int32(clamping: definition.version)
    let same = try tx.value(
      """
      select max(o.version)
      from core.workflow_own o
      join core.workflow_definition w on w.record_type = o.record_type and w.version = o.version
      where o.company_id = \(company) and o.record_type = \(definition.name) and o.based_on = \(base)
        and w.body - 'version' = \(body)::jsonb - 'version'
      """,
      as: Int?.self
    )
    if let same, try isInForce(definition.name, version: same, tx) { return (same, false) }
    try holdVersions(tx)
    let version = try tx.value(
      "select core.add_workflow(\(definition.name), \(body)::jsonb)",
      as: Int.self
    )
    try tx.execute(
      """
      insert into core.workflow_own (company_id, record_type, version, based_on)
      values (\(company), \(definition.name), \(Int32(clamping: version)), \(base))
      """
    )
    return (version, true)
  }
}
