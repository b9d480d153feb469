internal import Domain
internal import FoundationEssentials
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
}
