internal import Domain
package import FoundationEssentials
package import Postgres

/// Lists jobs and changes their state.
///
/// Lists use the counters and the index on lanes, so that the first page is fast however many jobs there are;
/// see <doc:Queue>.
package enum JobListing {
  /// Brings the counters up to date before a list reads them, unless they are younger than 5 s; for succeeded
  /// jobs always.
  package static func bringCountsForward(for filter: JobFilter, _ database: Database) async throws {
    // Only the counters show which lanes succeeded last, so a list of succeeded jobs needs current ones.
    let age = filter.state == .succeeded ? 0.0 : 5.0
    try await database.execute("select core.count_jobs(make_interval(secs => \(age)))")
  }

  /// Returns a page of the jobs that match a filter, newest first.
  ///
  /// - Parameters:
  ///   - company: nil for all companies.
  ///   - place: the position after which the page begins.
  ///   - limit: the maximum number of jobs, clamped to 1 to 1,000.
  package static func page(
    company: UUID?,
    _ filter: JobFilter,
    after place: JobPlace,
    limit: Int,
    _ tx: Transaction
  ) throws -> JobPage {
    let limit = max(1, min(limit, 1_000))
    let sources = [
      queued(company: company, filter, after: place.queued, limit: limit),
      deferred(company: company, filter, after: place.deferred, limit: limit),
    ]
    let lists = sources.compactMap { $0 }.map { "select l.* from \($0) with ordinality l" as SQL }
    let rows = try rows(from: "(\(SQL.joined(lists, separator: " union all ")))", tx)
    return JobPage(
      queued: rows.filter { $0.transaction != nil },
      deferred: rows.filter { $0.transaction == nil },
      limit: limit,
      after: place
    )
  }

  private static func queued(
    company: UUID?,
    _ filter: JobFilter,
    after place: JobPlace.QueuedPlace?,
    limit: Int
  ) -> SQL? {
    let whose: SQL =
      "\(nullable: company)::uuid, \(nullable: filter.queue)::text, \(nullable: filter.kind)::text"
    let behind: SQL = """
      \(nullable: place?.transaction)::text::xid8, \(nullable: place?.lane)::uuid, \(nullable: place?.id)::uuid,
        \(Int32(clamping: limit))
      """
    return switch filter.state {
    case nil, .queued, .retrying, .succeeded:
      "core.listed_queued(\(whose), \(filter.state?.rawValue ?? "any"), \(behind))"
    case .running: "core.listed_running(\(whose), \(behind))"
    case .dead, .cancelled: nil
    }
  }

  private static func deferred(
    company: UUID?,
    _ filter: JobFilter,
    after place: JobPlace.DeferredPlace?,
    limit: Int
  ) -> SQL? {
    guard filter.state != .running else { return nil }
    return """
      core.listed_deferred(\(nullable: company)::uuid, \(nullable: filter.queue)::text, \(nullable: filter.kind)::text,
        \(filter.state?.rawValue ?? "any"), \(nullable: place?.at)::timestamptz, \(nullable: place?.id)::uuid,
        \(Int32(clamping: limit)))
      """
  }

  /// Reads jobs from a source of `core.job_line` with their ordinality.
  private static func rows(from source: SQL, _ tx: Transaction) throws -> [JobRow] {
    try tx.rows(
      """
      select \(JobRow.columns)
      from \(source) l
      join core.company c on c.id = l.company_id
      order by l.ordinality
      """,
      as: JobRow.self
    )
  }

  /// Returns the job of a company with an id; nil if there is none.
  package static func find(company: UUID, id: UUID, _ tx: Transaction) throws -> JobRow? {
    try rows(from: "core.found_job(\(company), \(id)) with ordinality", tx).first
  }

  /// Returns at most two ids of a company's jobs that begin with these hexadecimal digits. Hyphens are
  /// ignored; for other characters, fewer than 6 or more than 32 digits it returns none.
  package static func ids(company: UUID, beginning text: String, _ tx: Transaction) throws -> [UUID] {
    let digits = text.lowercased().filter { $0 != "-" }
    guard (6...32).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return [] }
    let low = digits + String(repeating: "0", count: 32 - digits.count)
    let high = digits + String(repeating: "f", count: 32 - digits.count)
    return try tx.rows(
      """
      select distinct x.id
      from (
        (select j.id from core.job_queued j
         where j.company_id = \(company) and j.id between \(low)::uuid and \(high)::uuid and j.round = 1
         order by j.id limit 2)
        union all
        (select j.id from core.job_deferred j
         where j.company_id = \(company) and j.id between \(low)::uuid and \(high)::uuid
         order by j.id limit 2)
        union all
        (select j.id from core.job_end j
         where j.company_id = \(company) and j.id between \(low)::uuid and \(high)::uuid
         order by j.id limit 2)
      ) x
      limit 2
      """,
      UUID.self
    )
  }

  /// Returns the attempts at a job, oldest first; the transaction is inside its company.
  package static func attempts(company: UUID, id: UUID, _ tx: Transaction) throws -> [JobAttemptRow] {
    try tx.rows(
      "select a.attempt, a.started_at, a.finished_at, a.outcome, a.error from core.job_attempts(\(id)) a",
      as: JobAttemptRow.self
    )
  }
}
