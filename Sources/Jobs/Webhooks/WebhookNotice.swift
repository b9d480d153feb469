internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Tells the owners and administrators of a company about one of its webhooks, at most once a day for each cause.
struct WebhookNotice {
  /// The cause, which is the template of the notice.
  enum Cause: String {
    /// The circuit has opened.
    case failing = "webhook_failing"
    /// An event was given up.
    case undelivered = "webhook_undelivered"
    /// The receiver answered 410, and the webhook was switched off.
    case gone = "webhook_gone"
  }

  let company: UUID
  let webhook: UUID
  /// The address of the receiver; the notice names its host and the webhook's id only, because paths may contain secrets.
  let url: String

  /// Creates the notices, and the mails of members who chose them.
  ///
  /// - Parameters:
  ///   - event: the event whose delivery is the occasion.
  ///   - reason: the reason for the last failure.
  func tell(_ cause: Cause, event: String, reason: String, _ tx: Transaction) throws {
    let host = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?#".contains($0) }
    let data: JSONObject = [
      "receiver": .string(String(host)), "webhook": .string(webhook.text), "event": .string(event),
      "reason": .string(reason),
    ]
    let admins = try Recipient.role("admin").people(of: [:], company: company, tx)
    let willing = try tx.rows(Notices.willing(admins, template: cause.rawValue, company: company), UUID.self)
    var created: [UUID] = []
    for user in willing {
      let id = try tx.first(
        """
        insert into core.notification (company_id, id, user_id, template, data, dedupe_key, state)
        values (\(company), \(UUIDv7Generator.shared.next()), \(user), \(cause.rawValue), \(JSON(data)),
                format('%s:%s:%s:%s', \(cause.rawValue)::text, \(webhook)::text, current_date, \(user)::text), 'sent')
        on conflict do nothing
        returning id
        """,
        UUID.self
      )
      if let id { created.append(id) }
    }
    try NoticeMails.enqueue(created, company: company, traceID: nil, tx)
  }
}
