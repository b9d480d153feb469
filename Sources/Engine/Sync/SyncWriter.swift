internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store
internal import SyncProtocol

/// Writes the plans of a wave together.
struct SyncWriter {
  let refusals: SyncRefusals
  /// True to write inside savepoints, and to find a refused value.
  let isCareful: Bool
  /// True if nothing reads the rows before the commit, so that they travel with it.
  let travels: Bool

  /// Writes the rows, histories, timers, jobs and webhooks of the plans; the rest stays in the unit of work.
  ///
  /// - Returns: the judgements on the changes.
  func write(_ plans: [SyncPlan], in work: inout Work) throws -> [(SyncChange, PushResult)] {
    guard !plans.isEmpty else { return [] }
    var changes = Changes()
    for plan in plans { changes.append(plan.writes) }
    guard isCareful || !travels else {
      work.changes.append(changes)
      return plans.map { ($0.change, $0.result) }
    }
    let statements = changes.takeStatements(context: work.context)
    let tx = work.transaction
    guard isCareful else {
      try send(statements, tx)
      work.changes.append(changes)
      return plans.map { ($0.change, $0.result) }
    }
    do {
      try tx.savepoint { try send(statements, $0) }
    } catch let error as PostgresError where error.isRefusalOfValue {
      // PostgreSQL refused a value of some change. Halves find it.
      guard plans.count > 1 else { return [try refused(plans[0], error, tx)] }
      let middle = plans.count / 2
      return try write(Array(plans[..<middle]), in: &work) + write(Array(plans[middle...]), in: &work)
    }
    work.changes.append(changes)
    return plans.map { ($0.change, $0.result) }
  }

  private func send(_ statements: [SQL], _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      for statement in statements { pipeline.execute(statement) }
    }
  }

  private func refused(_ plan: SyncPlan, _ error: PostgresError, _ tx: Transaction) throws
    -> (SyncChange, PushResult)
  {
    let refusal = try refusals.explaining(error, tx)
    let version = plan.change.isCreation ? nil : plan.result.version.map { $0 - 1 }
    return (plan.change, refusals.result(refusal, of: plan.change.mutation, version: version))
  }
}
