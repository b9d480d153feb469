package import FoundationEssentials
package import Postgres

extension JobListing {
  /// Retries a dead or cancelled job, with at least one attempt left, or runs a retrying job now; false if
  /// the job is in no such state.
  ///
  /// - Throws: ``PostgresError`` with state `FT011` while another job holds its key.
  package static func retry(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    if try tx.value("select core.retry_job(\(id))", as: Bool.self) { return true }
    let ids = try tx.rows(
      """
      update core.job_deferred
      set run_at = clock_timestamp()
      where company_id = \(company) and id = \(id) and attempt > 0
      returning id
      """,
      UUID.self
    )
    guard ids.isEmpty else { return true }
    // The job is due already and only waits for a worker.
    return try tx.value(
      "select exists (select from core.found_job(\(company), \(id)) l where l.state = 'retrying')",
      as: Bool.self
    )
  }

  /// Cancels a waiting job; false if it does not wait.
  package static func cancel(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.cancel_job(\(id))", as: Bool.self)
  }

  /// Dismisses a dead job; false if it is not dead.
  package static func discard(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.discard_job(\(id))", as: Bool.self)
  }

  /// Postpones a waiting job until `time`; false if it does not wait.
  package static func snooze(company: UUID, id: UUID, until time: Timestamp, _ tx: Transaction) throws -> Bool
  {
    try tx.value("select core.snooze_job(\(id), \(time))", as: Bool.self)
  }
}
