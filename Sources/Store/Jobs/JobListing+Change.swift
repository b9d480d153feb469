package import FoundationEssentials
package import Postgres

extension JobListing {
  /// Retries a dead or cancelled job and allows it at least one more attempt, or makes a retrying job ready
  /// at once. The transaction is inside its company.
  ///
  /// - Returns: false if the job is neither dead, cancelled nor retrying.
  /// - Throws: ``PostgresError`` with SQLSTATE `FT011` if another job holds the job's unique key.
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
    // The job may be due already and only wait for a worker.
    return try tx.value(
      "select exists (select from core.found_job(\(company), \(id)) l where l.state = 'retrying')",
      as: Bool.self
    )
  }

  /// Cancels a waiting or running job; its worker ends a running one. The transaction is inside its company.
  ///
  /// - Returns: false if the job is neither waiting nor running.
  package static func cancel(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.cancel_job(\(id))", as: Bool.self)
  }
}
