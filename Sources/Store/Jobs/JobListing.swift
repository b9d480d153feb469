package import FoundationEssentials
package import Postgres

/// A job as operators look at it.
package struct JobRow: RowDecodable, Sendable {
  package let company: String
  package let companyID: UUID
  package let id: UUID
  package let kind: String
  package let queue: String
  package let state: String
  package let attempt: Int
  package let maxAttempts: Int
  package let runAt: Timestamp
  package let createdAt: Timestamp
  package let finishedAt: Timestamp?

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    companyID = try row.next()
    id = try row.next()
    kind = try row.next()
    queue = try row.next()
    state = try row.next()
    attempt = try row.next()
    maxAttempts = try row.next()
    runAt = try row.next()
    createdAt = try row.next()
    finishedAt = try row.next()
  }
}

/// One attempt of a job.
package struct JobAttemptRow: RowDecodable, Sendable {
  package let attempt: Int
  package let startedAt: Timestamp
  package let finishedAt: Timestamp?
  package let outcome: String?
  package let error: String?

  package init(row: inout RowReader) throws(PostgresError) {
    attempt = try row.next()
    startedAt = try row.next()
    finishedAt = try row.next()
    outcome = try row.next()
    error = try row.next()
  }
}

/// Looking at jobs, and changing what becomes of them.
package enum JobListing {
  private static let columns: SQL = """
    c.slug, j.company_id, j.id, j.kind, j.queue, j.state, j.attempt, j.max_attempts, j.run_at, j.created_at,
      j.finished_at
    """

  /// The newest jobs, of one company or of all, in one state or any.
  package static func newest(company: UUID?, state: String?, kind: String?, limit: Int, _ tx: Transaction)
    throws
    -> [JobRow]
  {
    try tx.rows(
      """
      select \(columns)
      from core.job j
      join core.company c on c.id = j.company_id
      where (\(nullable: company)::uuid is null or j.company_id = \(nullable: company))
        and (\(nullable: state)::text is null or j.state = \(nullable: state))
        and (\(nullable: kind)::text is null or j.kind = \(nullable: kind))
      order by j.created_at desc, j.id desc
      limit \(limit)
      """,
      as: JobRow.self
    )
  }

  /// The job with an id, in one company.
  package static func find(company: UUID, id: UUID, _ tx: Transaction) throws -> JobRow? {
    try tx.first(
      """
      select \(columns)
      from core.job j
      join core.company c on c.id = j.company_id
      where j.company_id = \(company) and j.id = \(id)
      """,
      as: JobRow.self
    )
  }

  /// The ids in a company that begin with these hexadecimal digits, two at most; none for other text.
  package static func ids(company: UUID, beginning text: String, _ tx: Transaction) throws -> [UUID] {
    let digits = text.lowercased().filter { $0 != "-" }
    guard (6...32).contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return [] }
    let low = digits + String(repeating: "0", count: 32 - digits.count)
    let high = digits + String(repeating: "f", count: 32 - digits.count)
    return try tx.rows(
      """
      select j.id from core.job j
      where j.company_id = \(company) and j.id between \(low)::uuid and \(high)::uuid
      limit 2
      """,
      UUID.self
    )
  }

  /// What a job is about.
  package static func payload(company: UUID, id: UUID, _ tx: Transaction) throws -> JSON? {
    try tx.value("select core.job_subject(\(id))", as: JSON?.self)
  }

  /// Its attempts, oldest first.
  package static func attempts(company: UUID, id: UUID, _ tx: Transaction) throws -> [JobAttemptRow] {
    try tx.rows(
      """
      select a.attempt, a.started_at, a.finished_at, a.outcome, a.error
      from core.job_run a
      where a.company_id = \(company) and a.job_id = \(id)
      order by a.attempt, a.fence
      """,
      as: JobAttemptRow.self
    )
  }

  /// Has a dead or cancelled job tried again, once more than before; false if it is neither.
  ///
  /// - Throws: ``PostgresError`` with state `FT011` while another job holds its key.
  package static func retry(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.retry_job(\(id))", as: Bool.self)
  }

  /// Cancels a job that waits; false if it does not.
  package static func cancel(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value("select core.cancel_job(\(id))", as: Bool.self)
  }
}
