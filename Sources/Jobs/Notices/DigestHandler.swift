internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// `mail.digest`: enqueues the digests of a company's members. A schedule enqueues the job each morning.
package struct DigestHandler: JobHandler {
  /// The payload that the schedule writes.
  package struct Payload: Codable, Sendable {
    /// The time at which the schedule was due, RFC 3339; nil for the current time.
    let dueAt: String?

    enum CodingKeys: String, CodingKey { case dueAt = "due_at" }
  }

  /// `mail.digest`.
  package let kind = "mail.digest"

  /// Creates a handler.
  package init() {}

  /// Returns effects that enqueue one mail for each member who chose a daily digest, on Mondays also for those who
  /// chose a weekly one, and has open notices that were not mailed. A digest that still waits is not enqueued twice.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.company
    let trace = context.traceID
    return JobEffects { tx in
      let users = try tx.rows(
        """
        select p.user_id
        from core.mail_preference p
        join core.membership m on m.company_id = p.company_id and m.user_id = p.user_id and m.status = 'active'
        join core.company c on c.id = p.company_id
        join core.app_user u on u.id = p.user_id and u.status = 'active' and u.email_verified_at is not null
        left join core.mail_profile f on f.user_id = p.user_id
        where p.company_id = \(company)
          and (
            p.digest = 'daily'
            or p.digest = 'weekly' and extract(isodow from
              coalesce(\(nullable: payload.dueAt)::timestamptz, now()) at time zone core.known_zone(c.timezone)) = 1
          )
          and f.refused_key is distinct from u.email_key
          and exists (
            select from core.notification n
            where n.company_id = p.company_id and n.user_id = p.user_id and n.state = 'sent' and n.mailed_at is null
          )
        order by p.user_id
        """,
        UUID.self
      )
      let jobs = try users.map { try MailJob(.digest, $0).job(id: UUIDv7Generator.shared.next()) }
      try JobOutbox.write(jobs, company: company, traceID: trace, tx)
    }
  }
}
