internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Writes the plans of a wave together.
struct ChangeWriter {
  let records: Records
  /// True to write inside savepoints, and to find a refused value.
  let isCareful: Bool
  /// True if nothing reads the rows before the commit, so that they travel with it.
  let travels: Bool

  /// Writes the rows, histories, timers, jobs and webhooks of the plans; the rest stays in the unit of work.
  ///
  /// - Returns: what became of the changes.
  func write(_ plans: [ChangePlan], in work: inout Work) throws -> [(RecordChange, ChangeOutcome)] {
    guard !plans.isEmpty else { return [] }
    var changes = Changes()
    for plan in plans { changes.append(plan.writes) }
    if isCareful || !travels {
      let statements = changes.takeStatements(context: work.context)
      let tx = work.transaction
      do {
        if isCareful { try tx.savepoint { try send(statements, $0) } } else { try send(statements, tx) }
      } catch let error as PostgresError where isCareful && error.isRefusalOfValue {
        // PostgreSQL refused a value of some change. Halves find it.
        guard plans.count > 1 else { return [try refused(plans[0], error, tx)] }
        let middle = plans.count / 2
        return try write(Array(plans[..<middle]), in: &work) + write(Array(plans[middle...]), in: &work)
      }
    }
    work.changes.append(changes)
    return plans.map { ($0.change, .applied($0.answer, isMerge: $0.isMerge)) }
  }

  private func send(_ statements: [SQL], _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      for statement in statements { pipeline.execute(statement) }
    }
  }

  private func refused(_ plan: ChangePlan, _ error: PostgresError, _ tx: Transaction) throws
    -> (RecordChange, ChangeOutcome)
  {
    let refusal = try records.explanation(of: error, tx) ?? DomainError(error)
    return (plan.change, .refused(refusal, version: plan.change.isCreation ? nil : plan.answer.version - 1))
  }
}
