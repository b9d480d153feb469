package import FoundationEssentials
package import Postgres

extension JobListing {
  /// Has a dead or cancelled job tried again, once more than before, and one that is to be tried again tried
  /// now; false if it is none of these.
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
    // Its time has come already: it waits for a worker only.
    return try tx.value(
      "select exists (select from core.found_job(\(company), \(id)) l where l.state = 'retrying')",
      as: Bool.self
    )
  }

  /// Cancels a job that waits; false if it does not.
  package static func cancel(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.cancel_job(\(id))", as: Bool.self)
  }

  /// Says of a dead job that it needs no more care; false if it is not dead.
  package static func discard(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.discard_job(\(id))", as: Bool.self)
  }

  /// Has a job wait until then that waits already; false if it does not.
  package static func snooze(company: UUID, id: UUID, until time: Timestamp, _ tx: Transaction) throws -> Bool
  {
    try tx.value("select core.snooze_job(\(id), \(time))", as: Bool.self)
  }
}
