package import FoundationEssentials
package import Postgres

extension JobListing {
  /// Returns the newest error, or reason for snoozing, of each of these jobs by id; jobs that have none are
  /// left out. The transaction is inside the company of the jobs.
  package static func lastErrors(of ids: [UUID], _ tx: Transaction) throws -> [UUID: String] {
    let rows = try tx.rows(
      """
      select j.id, a.error
      from unnest(\(ids)) j (id)
      cross join lateral (
        select r.error from core.job_attempts(j.id) r
        where r.error is not null
        order by r.attempt desc
        limit 1
      ) a
      """,
      UUID.self,
      String.self
    )
    return Dictionary(rows) { first, _ in first }
  }

  /// Makes a deferred job ready at once.
  ///
  /// - Returns: false if the job is neither deferred nor waiting for a worker.
  package static func runNow(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    let ids = try tx.rows(
      """
      update core.job_deferred
      set run_at = clock_timestamp()
      where company_id = \(company) and id = \(id)
      returning id
      """,
      UUID.self
    )
    guard ids.isEmpty else { return true }
    // The job may be due already and only wait for a worker.
    return try tx.value(
      "select exists (select from core.found_job(\(company), \(id)) l where l.state in ('queued', 'retrying'))",
      as: Bool.self
    )
  }
}
