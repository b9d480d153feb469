internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Mail
internal import Postgres
internal import Secrets
internal import Store

/// A letter with its recipient, ready to be sent.
struct MailContent: Sendable {
  /// The account of the recipient; nil for the address of an invitation.
  let user: UUID?
  let to: MailAddress
  let letter: Letter
  /// The notices that the letter contains.
  let notices: [UUID]

  init(user: UUID?, email: String, name: String = "", _ letter: Letter, notices: [UUID] = []) throws {
    self.user = user
    // A name with a control character, from before names were checked, is left out.
    let address = try EmailAddress(parsing: email)
    to = try (try? MailAddress(address, name: name)) ?? MailAddress(address)
    self.letter = letter
    self.notices = notices
  }
}

/// Reads the content of mails, and creates their codes.
///
/// Each function runs in a transaction inside the job's company, and returns nil if there is nothing to send any more.
struct MailWriter: Sendable {
  /// The maximum number of notices in a digest.
  static let longestDigest = 50

  let company: UUID
  /// The beginning of links; nil for none.
  let links: String?
  let templates: [NoticeTemplate]
  let keys: @Sendable () throws -> Keys

  /// Returns the content of the mail of a job.
  func content(of job: MailJob, _ tx: Transaction) throws -> MailContent? {
    switch job.letter {
    case .verify, .reset: try account(job, tx)
    case .invite: try invitation(job.id, tx)
    case .notice: try notice(job.id, tx)
    case .digest: try digest(of: job.id, tx)
    }
  }

  private func account(_ job: MailJob, _ tx: Transaction) throws -> MailContent? {
    let person = try tx.first(
      "select r.user_id, r.email, r.name, r.language from core.mail_recipient(\(job.id)) r",
      UUID.self,
      String.self,
      String.self,
      String?.self
    )
    guard let (user, email, name, language) = person else { return nil }
    let token = MailToken.make(id: UUIDv7Generator.shared.next(), user: user)
    let isMinted = try tx.value(
      "select core.mint_mail_token(\(token.id), \(job.id), \(token.hash))",
      as: Bool.self
    )
    guard isMinted else { return nil }
    let letters = Letters(Language(stored: language), links: links)
    let letter =
      job.letter == .reset
      ? letters.passwordReset(name: name, code: token.text)
      : letters.verification(name: name, code: token.text)
    return try MailContent(user: user, email: email, name: QuotedName.shown(name) ?? "", letter)
  }

  private func invitation(_ id: UUID, _ tx: Transaction) throws -> MailContent? {
    let row = try tx.first(
      """
      select i.email_key, c.name, c.language, r.label, u.name,
        to_char(i.expires_at at time zone core.known_zone(c.timezone), 'YYYY-MM-DD')
      from core.invite i
      join core.company c on c.id = i.company_id
      join core.role r on r.company_id = i.company_id and r.name = i.role
      left join core.app_user u on u.id = i.created_by
      where i.company_id = \(company) and i.id = \(id) and i.email_key is not null
      """,
      String.self,
      String.self,
      String.self,
      String.self,
      String?.self,
      String.self
    )
    guard let (email, name, language, role, inviter, until) = row else { return nil }
    let code = try InviteCode(random: SecureRandom.bytes(8))
    let hmac = Invites.hmac(of: code, key: try keys().current(.pepper))
    guard try tx.value("select core.mint_invite_code(\(company), \(id), \(hmac))", as: Bool.self) else {
      return nil
    }
    let letter = Letters(Language(stored: language), links: links).invitation(
      company: name,
      inviter: inviter,
      role: role,
      code: code.grouped,
      until: until
    )
    return try MailContent(user: nil, email: email, letter)
  }

  private func notice(_ id: UUID, _ tx: Transaction) throws -> MailContent? {
    let row = try tx.first(
      """
      select n.user_id, n.template, n.data
      from core.notification n
      where n.company_id = \(company) and n.id = \(id) and n.state = 'sent' and n.mailed_at is null
      """,
      UUID.self,
      String.self,
      JSON.self
    )
    guard let (user, template, data) = row, let reader = try reader(user, tx) else { return nil }
    let letter = reader.letters.notice(try entry(template, data, reader.language), company: reader.company)
    return try MailContent(user: user, email: reader.email, name: reader.name, letter, notices: [id])
  }

  private func digest(of user: UUID, _ tx: Transaction) throws -> MailContent? {
    guard let reader = try reader(user, tx) else { return nil }
    let rows = try tx.rows(
      """
      select n.id, n.template, n.data, count(*) over ()
      from core.notification n
      where n.company_id = \(company) and n.user_id = \(user) and n.state = 'sent' and n.mailed_at is null
      order by n.created_at, n.id
      limit \(Self.longestDigest)
      """,
      UUID.self,
      String.self,
      JSON.self,
      Int.self
    )
    guard let first = rows.first else { return nil }
    let letter = reader.letters.digest(
      try rows.map { try entry($0.1, $0.2, reader.language) },
      more: first.3 - rows.count,
      company: reader.company
    )
    return try MailContent(user: user, email: reader.email, name: reader.name, letter, notices: rows.map(\.0))
  }

  /// A member who can be written to.
  private struct Reader {
    let email: String
    let name: String
    let company: String
    let language: Language
    let letters: Letters
  }

  /// Returns a member; nil unless the membership is active and the address is verified and accepts mails.
  private func reader(_ user: UUID, _ tx: Transaction) throws -> Reader? {
    let row = try tx.first(
      """
      select u.email, u.name, c.name, coalesce(p.language, c.language)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      join core.company c on c.id = m.company_id
      left join core.mail_profile p on p.user_id = m.user_id
      where m.company_id = \(company) and m.user_id = \(user) and m.status = 'active' and u.status = 'active'
        and u.email_verified_at is not null and p.refused_key is distinct from u.email_key
      """,
      String.self,
      String.self,
      String.self,
      String.self
    )
    return row.map { email, name, company, stored in
      let language = Language(stored: stored)
      return Reader(
        email: email,
        name: name,
        company: company,
        language: language,
        letters: Letters(language, links: links)
      )
    }
  }

  /// Returns the text of a notice; the name of its template if the app was removed meanwhile.
  private func entry(_ name: String, _ data: JSON, _ language: Language) throws -> Letter.Entry {
    let fields = try data.value().object ?? [:]
    guard let text = templates.first(where: { $0.name == name })?.text(in: language) else {
      return Letter.Entry(title: name, body: "")
    }
    return Letter.Entry(
      title: NoticeTemplate.fill(text.title, with: fields),
      body: NoticeTemplate.fill(text.body, with: fields)
    )
  }
}
