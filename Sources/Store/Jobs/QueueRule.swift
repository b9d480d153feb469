internal import Domain
package import FoundationEssentials
package import Postgres

/// A pause or a limit as lists show it.
package struct QueueRule: RowDecodable, Sendable {
  package enum Rule: String, PostgresTextEnum, Sendable { case pause, limit }

  package let rule: Rule
  /// The slug of the company whose jobs the rule applies to; nil for all companies.
  package let company: String?
  package let queue: String?
  package let kind: String?
  /// True if a limit for all companies applies to each company separately.
  package let isForEach: Bool
  package let maxRunning: Int?
  package let rateCount: Int?
  /// The period of the rate, in seconds.
  package let ratePeriod: Double?
  package let reason: String?
  package let madeBy: String
  package let createdAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    rule = try row.next()
    company = try row.next()
    queue = try row.next()
    kind = try row.next()
    isForEach = try row.next()
    maxRunning = try row.next()
    rateCount = try row.next()
    ratePeriod = try row.next()
    reason = try row.next()
    madeBy = try row.next()
    createdAt = try row.next()
  }

  /// Returns the pauses of all companies, then the limits, each sorted by company, queue and kind.
  package static func all(_ tx: Transaction) throws -> [QueueRule] {
    try tx.rows(
      """
      select r.rule, nullif(c.slug, 'system'), r.queue, r.kind, r.each_company, r.max_running, r.rate_count,
        r.rate_seconds, r.reason, r.made_by, r.created_at
      from (
        select 'pause' as rule, p.company_id, p.queue, p.kind, false as each_company, null::integer as max_running,
          null::integer as rate_count, null::double precision as rate_seconds, p.reason, p.paused_by as made_by,
          p.created_at
        from core.job_pause p
        union all
        select 'limit', l.company_id, l.queue, l.kind, l.each_company, l.max_running, l.rate_count,
          extract(epoch from l.rate_period)::double precision, null, l.made_by, l.created_at
        from core.job_limit l
      ) r
      join core.company c on c.id = r.company_id
      order by r.rule desc, c.slug, r.queue nulls first, r.kind nulls first
      """,
      as: QueueRule.self
    )
  }

  /// Returns words for the jobs of a rule, such as `kind solar.push of acme`.
  ///
  /// - Parameter company: the slug; `system` for all companies.
  package static func words(company: String, queue: String?, kind: String?) -> String {
    var words: [String] = []
    if let kind { words.append("kind \(kind)") }
    if let queue { words.append("queue \(queue)") }
    if words.isEmpty { words.append("every queue") }
    if company != "system" { words.append("of \(company)") }
    return words.joined(separator: " ")
  }

  /// Pauses jobs of a company, queue and kind; nil stands for any queue or kind.
  ///
  /// - Returns: false if this pause exists already.
  package static func pause(
    _ company: UUID,
    _ queue: String?,
    _ kind: String?,
    _ reason: String?,
    by name: String,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.value(
      """
      select core.pause_jobs(\(company), \(nullable: queue)::text, \(nullable: kind)::text,
        \(nullable: reason)::text, \(name))
      """,
      as: Bool.self
    )
  }

  /// Removes the pause of exactly this company, queue and kind.
  ///
  /// - Returns: false if there is no such pause.
  package static func resume(_ company: UUID, _ queue: String?, _ kind: String?, _ tx: Transaction) throws
    -> Bool
  {
    try tx.value(
      "select core.resume_jobs(\(company), \(nullable: queue)::text, \(nullable: kind)::text)",
      as: Bool.self
    )
  }

  /// Sets a limit, and replaces the previous one for the same jobs.
  package static func limit(_ limit: JobRules.Limit, by name: String, _ tx: Transaction) throws {
    try tx.execute(
      """
      select core.limit_jobs(\(limit.company ?? JobRules.everyCompany), \(nullable: limit.queue)::text,
        \(nullable: limit.kind)::text, \(limit.isForEach), \(nullable: limit.maxRunning.map(Int32.init(clamping:)))::integer,
        \(nullable: limit.rate.map { Int32(clamping: $0.count) })::integer,
        make_interval(secs => \(nullable: limit.rate?.period.seconds)::double precision), \(name))
      """
    )
  }

  /// Removes the limit of exactly this company, queue, kind and kind of sharing.
  ///
  /// - Returns: false if there is no such limit.
  package static func unlimit(
    _ company: UUID,
    _ queue: String?,
    _ kind: String?,
    _ isForEach: Bool,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.value(
      "select core.unlimit_jobs(\(company), \(nullable: queue)::text, \(nullable: kind)::text, \(isForEach))",
      as: Bool.self
    )
  }
}
