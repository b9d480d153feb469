internal import Domain
internal import Engine
package import FoundationEssentials
package import Postgres
internal import Secrets
internal import Store

/// Mails of notices at once, to members who chose that.
package enum NoticeMails {
  /// Enqueues a mail for each unread notice whose recipient chose mails for its template. Call it in the transaction
  /// that creates the notices, which must be inside the company.
  ///
  /// Members who chose the inbox only, whose address is not verified or refuses mails, get no job.
  package static func enqueue(_ notices: [UUID], company: UUID, traceID: String?, _ tx: Transaction) throws {
    guard !notices.isEmpty else { return }
    let mailed = try tx.rows(
      """
      select n.id
      from core.notification n
      join core.app_user u on u.id = n.user_id
      left join core.mail_profile f on f.user_id = n.user_id
      left join core.notification_preference p
        on p.company_id = n.company_id and p.user_id = n.user_id and p.topic = n.template
      left join core.notification_preference a
        on a.company_id = n.company_id and a.user_id = n.user_id and a.topic = '*'
      where n.company_id = \(company) and n.id = any (\(notices)) and n.state = 'sent' and n.mailed_at is null
        and coalesce(p.delivery, a.delivery, 'inbox') = 'mail'
        and u.email_verified_at is not null and f.refused_key is distinct from u.email_key
      order by n.id
      """,
      UUID.self
    )
    let jobs = try mailed.map { try MailJob(.notice, $0).job(id: UUIDv7Generator.shared.next()) }
    try JobOutbox.write(jobs, company: company, traceID: traceID, tx)
  }
}
