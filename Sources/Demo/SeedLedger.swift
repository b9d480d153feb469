internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The history of made-up records and their place in the feed: gathered from the writers of all types, because a
/// person has a few records of each, and written in few statements.
///
/// A class because the writers of one transaction share it.
package final class SeedLedger {
  /// What one record leaves behind.
  struct Line {
    let origin: HistoryRecord
    let steps: ArraySlice<HistoryRecord>
    let isDeleted: Bool

    var last: HistoryRecord { steps.last ?? origin }
  }

  private static let size = 2_000

  let context: WorkContext
  let tx: Transaction
  private var origins: [HistoryRecord] = []
  private var steps: [HistoryRecord] = []
  private var changes: [FeedChange] = []
  private var times: [Timestamp] = []

  init(_ context: WorkContext, _ tx: Transaction) {
    self.context = context
    self.tx = tx
  }

  /// Takes in records of one type that were not there before, and writes when there are many.
  func add(_ lines: [Line], of type: RecordType) throws {
    let owner = type.definition.scope == .owner ? context.user : nil
    for line in lines {
      let last = line.last
      origins.append(line.origin)
      steps += line.steps
      changes.append(
        FeedChange(
          recordType: type.name,
          recordID: last.entry.record,
          owner: owner,
          operation: line.isDeleted ? .delete : .put,
          version: last.seq
        )
      )
      times.append(Timestamp(microseconds: last.entry.occurred.microseconds))
    }
    if origins.count >= Self.size { try flush() }
  }

  /// Writes what was taken in; to be called before the transaction ends.
  func flush() throws {
    guard !origins.isEmpty else { return }
    let company = context.company
    try tx.pipeline { pipeline in
      pipeline.execute(HistoryRecord.insertSeedOrigins(origins, company: company))
      if !steps.isEmpty { pipeline.execute(HistoryRecord.insertSeedSteps(steps, company: company)) }
      pipeline.execute(FeedWriter.gate(company: company))
      pipeline.execute(FeedWriter.writeSeeds(changes, at: times, company: company))
    }
    origins.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
  }
}
