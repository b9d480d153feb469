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
  /// True if an operator's audit has an entry for each change.
  var audits = true

  /// Writes the rows, histories, timers, jobs and webhooks of the plans; the rest stays in the unit of work.
  ///
  /// - Parameters:
  ///   - overlaps: true to run `meanwhile` while the server writes. The statements must fit into the socket's buffer.
  /// - Returns: what became of the changes.
  func write(
    _ plans: [ChangePlan],
    in work: inout Work,
    overlaps: Bool = false,
    meanwhile: (inout Work) throws -> Void = { _ in }
  ) throws -> [(RecordChange, ChangeOutcome)] {
    guard !plans.isEmpty else { return [] }
    var changes = Changes()
    for plan in plans { changes.append(plan.writes) }
    if !audits { changes.audit = [] }
    if isCareful || !travels {
      let statements = changes.takeStatements(context: work.context)
      let tx = work.transaction
      do {
        func send(_ tx: Transaction) throws {
          func queue(_ pipeline: inout Pipeline) {
            for statement in statements { pipeline.execute(statement) }
          }
          guard overlaps else { return try tx.pipeline(queue) }
          try tx.send(queue)
          try meanwhile(&work)
        }
        if isCareful { try tx.savepoint(send) } else { try send(tx) }
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

  private func refused(_ plan: ChangePlan, _ error: PostgresError, _ tx: Transaction) throws
    -> (RecordChange, ChangeOutcome)
  {
    let refusal = try records.explanation(of: error, tx) ?? DomainError(error)
    return (plan.change, .refused(refusal, version: plan.change.isCreation ? nil : plan.answer.version - 1))
  }
}
