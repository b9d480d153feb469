internal import Domain
package import Engine
internal import Postgres
package import Store

/// Erases a company when its grace period is over. The job belongs to the system company.
package struct CompanyEraseHandler: JobHandler {
  /// `company.erase`.
  package let kind = CompanyErasures.kind
  /// An hour. The next attempt continues.
  package var timeout: Duration? { .seconds(3_600) }
  /// One, so that the locks and the log of several erasures do not add up.
  package var maxRunningPerCompany: Int? { 1 }
  private let records: Records
  private let ledger: ErasureLedger?

  /// - Parameters:
  ///   - records: opened with the worker's login and the store of files.
  ///   - ledger: the file that remembers erasures.
  package init(_ records: Records, _ ledger: ErasureLedger?) {
    self.records = records
    self.ledger = ledger
  }

  /// Erases what is left of the company; does nothing if the erasure was cancelled, postponed or finished.
  ///
  /// - Throws: ``JobFailure/snooze(_:_:)`` if this process has no store of files or no ledger.
  package func run(_ payload: CompanyErasures.Payload, context: JobContext) async throws -> JobEffects {
    guard let store = records.blobs, let ledger else {
      throw JobFailure.snooze(.seconds(3_600), "this worker has no store of files; see --blobs")
    }
    let run = CompanyErasureRun(
      context.database,
      store,
      ledger,
      erasure: payload.erasure,
      actor: .system(kind)
    )
    let outcome = try await run.run { total in context.note("erased \(total) rows") }
    if outcome == nil { context.note("nothing to erase: finished, cancelled or postponed") }
    return .none
  }
}
