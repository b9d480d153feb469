internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Collects samples and inserts them in batches. While the server processes a batch, the next one is
/// collected.
struct SampleInsert {
  private let company: UUID
  private let site: UUID
  private let now: Instant
  private var batch = SampleBatch()
  private var underWay: (inserted: CountTicket, batch: SampleBatch)?
  private var outcome = SampleOutcome()

  /// - Parameter now: the transaction's time; a measurement may be at most five minutes later.
  init(company: UUID, site: UUID, now: Instant) {
    self.company = company
    self.site = site
    self.now = now
  }

  /// The number of processed samples.
  var done: Int { outcome.added + outcome.alreadyThere }

  /// Adds a sample, and sends the batch if it is full.
  ///
  /// - Throws: `bad_timestamp` for a sample more than five minutes in the future.
  mutating func take(_ sample: SolarSample, _ tx: Transaction) throws {
    try sample.takenAt.requireMeasurable(now: now)
    batch.append(sample)
    if batch.count >= Samples.batchSize { try flush(tx) }
  }

  /// Sends the remaining samples and returns the outcome of all of them.
  mutating func finish(_ tx: Transaction) throws -> SampleOutcome {
    try flush(tx)
    try settle(tx)
    return outcome
  }

  private mutating func flush(_ tx: Transaction) throws {
    guard batch.count > 0 else { return }
    let statement = SampleStatements.insert(batch, company: company, site: site)
    try settle(tx)
    let inserted = try tx.send { pipeline in pipeline.execute(statement) }
    underWay = (inserted, batch)
    batch.removeAll()
  }

  private mutating func settle(_ tx: Transaction) throws {
    guard let (inserted, sent) = underWay else { return }
    underWay = nil
    try tx.collect()
    let added = try inserted.affected
    outcome.added += added
    outcome.alreadyThere += sent.count - added
    guard added < sent.count else { return }
    outcome.differing += try tx.value(
      SampleStatements.differing(sent, company: company, site: site),
      as: Int.self
    )
  }
}
