internal import Domain
package import Engine
internal import FoundationEssentials
package import Mail
internal import Postgres
package import Secrets
internal import Store

/// `mail.send`: sends one mail.
///
/// The mail server's acceptance is recorded in a transaction of its own, so that a job that is repeated after it
/// does not send the mail again. If the worker is killed, or loses the database, between the acceptance and that
/// record, the mail is sent twice, with the same Message-ID: SMTP offers no way to prevent it.
package struct MailHandler: JobHandler {
  /// Ids only; see ``MailJob``.
  package typealias Payload = MailJob

  /// `mail.send`.
  package let kind = MailJob.kind
  /// Four: a mail server that hangs must not occupy a worker.
  package var maxRunningPerCompany: Int? { 4 }
  private let mailer: any Mailer
  private let from: MailAddress
  private let links: String?
  private let keys: @Sendable () throws -> Keys

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - links: the beginning of links in mails; nil for none.
  ///   - keys: the keys that hash invite codes.
  package init(
    _ mailer: any Mailer,
    from: MailAddress,
    links: String? = nil,
    keys: @escaping @Sendable () throws -> Keys
  ) {
    self.mailer = mailer
    self.from = from
    self.links = links
    self.keys = keys
  }

  /// Sends the mail, unless it was sent before or there is nothing to send any more.
  ///
  /// - Throws: ``JobFailure``: temporary if a later attempt may succeed, after a pause that grows from one minute to
  ///   an hour; permanent if the server refused the message or the recipient. A refused recipient gets no more
  ///   mails until the address is verified again, and the company's administrators get a notice.
  package func run(_ payload: Payload, context: JobContext) async throws -> JobEffects {
    let company = context.company
    let services = Services(database: context.database, keys: keys)
    let templates = try await InstalledApps(services).noticeTemplates()
    let writer = MailWriter(company: company, links: links, templates: templates, keys: keys)
    let job = context.id
    let prepared = try await context.database.transaction(.inside(company)) {
      tx -> (MailContent, Instant)? in
      let state = try tx.first(
        """
        select exists (select from core.mail_delivery d where d.company_id = \(company) and d.job_id = \(job)), now()
        """,
        Bool.self,
        Instant.self
      )
      guard let (isSent, now) = state, !isSent else { return nil }
      return try writer.content(of: payload, tx).map { ($0, now) }
    }
    guard let (content, now) = prepared else {
      context.note("nothing to send")
      return .none
    }
    let message = content.letter.message(
      from: from,
      to: content.to,
      // The id of the job: every attempt has the same one.
      messageID: "\(context.id.uuidString.lowercased())@\(from.host)",
      date: now
    )
    switch await mailer.send(message) {
    case .accepted(let answer):
      try await record(answer, payload.letter, message.messageID, content.notices, context)
      return .none
    case .temporary(let reason, _):
      throw JobFailure.temporary(reason, after: Self.pause(after: context.attempt))
    case .permanent(let reason, let answer, let isAddress):
      if isAddress, let user = content.user {
        try await refuse(content.to, of: user, answer, reason: reason, context)
      }
      throw JobFailure.permanent(reason)
    }
  }

  /// Returns the pause after a failed attempt: 1, 5, 15, 30, then 60 minutes, with a quarter added at random.
  static func pause(after attempt: Int) -> Duration {
    let minutes: [Double] = [1, 5, 15, 30]
    let base = attempt <= minutes.count ? minutes[max(0, attempt - 1)] : 60
    return .seconds(base * 60 * .random(in: 1...1.25))
  }

  private func record(
    _ answer: MailAnswer,
    _ letter: MailJob.Letter,
    _ messageID: String,
    _ notices: [UUID],
    _ context: JobContext
  ) async throws {
    let (company, job) = (context.company, context.id)
    try await context.database.transaction(.inside(company)) { tx in
      try tx.pipeline { pipeline in
        pipeline.execute(
          """
          insert into core.mail_delivery (company_id, job_id, letter, message_id, status, answer)
          values (\(company), \(job), \(letter.rawValue), \(messageID), \(Int32(clamping: answer.code)),
                  \(String(answer.text.prefix(500))))
          on conflict do nothing
          """
        )
        pipeline.execute(
          """
          delete from core.mail_delivery d
          where d.company_id = \(company) and d.job_id = any (array(
            select o.job_id from core.mail_delivery o
            where o.company_id = \(company) and o.sent_at < now() - interval '30 days'
            order by o.sent_at
            limit 100
          ))
          """
        )
        pipeline.execute(
          """
          update core.notification set mailed_at = now()
          where company_id = \(company) and id = any (\(notices))
          """
        )
      }
    }
  }

  /// Marks the address and tells the company's administrators, at most once a day.
  private func refuse(
    _ address: MailAddress,
    of user: UUID,
    _ answer: MailAnswer?,
    reason: String,
    _ context: JobContext
  ) async throws {
    let company = context.company
    let key = address.key
    try await context.database.transaction(.inside(company)) { tx in
      let isMarked = try tx.value(
        """
        select core.refuse_address(\(user), \(key), \(nullable: answer.map { Int32(clamping: $0.code) }),
          \(answer?.text ?? reason))
        """,
        as: Bool.self
      )
      guard isMarked, company != MailJob.accounts else { return }
      let data: JSONObject = [
        "address": .string(address.address), "name": .string(address.name), "reason": .string(reason),
      ]
      let template = "address_refused"
      let admins = try Recipient.role("admin").people(of: [:], company: company, tx)
      for admin in try tx.rows(Notices.willing(admins, template: template, company: company), UUID.self) {
        try tx.execute(
          """
          insert into core.notification (company_id, id, user_id, template, data, dedupe_key, state)
          values (\(company), \(UUIDv7Generator.shared.next()), \(admin), \(template), \(JSON(data)),
                  format('address:%s:%s:%s', \(user)::text, current_date, \(admin)::text), 'sent')
          on conflict do nothing
          """
        )
      }
    }
  }
}
