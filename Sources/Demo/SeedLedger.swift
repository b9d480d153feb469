internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The history and feed of generated records, collected from the writers of all types. A member has only a
/// few records of each type, so collecting them keeps the number of statements small.
///
/// A class because the writers of one transaction share it.
package final class SeedLedger {
  /// The history of one record.
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
  private var times: [Instant] = []

  init(_ context: WorkContext, _ tx: Transaction) {
    self.context = context
    self.tx = tx
  }

  /// Adds new records of one type, and flushes when a batch is full.
  func add(_ lines: [Line], of type: RecordType) throws {
    let owner = try type.feedOwner(context.user)
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
      times.append(last.entry.occurred)
    }
    if origins.count >= Self.size { try flush() }
  }

  /// Writes the collected rows. Must be called before the transaction ends.
  func flush() throws {
    guard !origins.isEmpty else { return }
    let company = context.company
    try tx.pipeline { pipeline in
      pipeline.execute(HistoryRecord.insert(origins[...], company: company))
      if !steps.isEmpty { pipeline.execute(HistoryRecord.insert(steps[...], company: company)) }
      pipeline.execute(FeedWriter.gate(company: company))
      pipeline.execute(FeedWriter.writeSeeds(changes, at: times, company: company))
    }
    origins.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
  }
}
