package import Domain
internal import FoundationEssentials
package import Postgres
internal import Store

/// The language, digest and address of a member's mails.
package struct MailPreferences: RowDecodable, Sendable {
  /// How often a member gets one mail with the open notices.
  package enum Digest: String, Sendable, CaseIterable {
    case off, daily
    /// On Mondays.
    case weekly
  }

  /// The chosen language; nil for the language of the company.
  package let language: Language?
  /// The language of the company.
  package let companyLanguage: Language
  package let digest: Digest
  package let email: String
  /// True if the person proved to receive mail at the address. Notices are mailed to such addresses only.
  package let isVerified: Bool
  /// The answer of the mail server that refused the address; nil if none did since it was verified.
  package let refusal: String?

  package init(row: inout RowReader) throws(PostgresError) {
    let stored: String? = try row.next()
    language = stored.flatMap(Language.init(rawValue:))
    companyLanguage = Language(stored: try row.next())
    let digest: String? = try row.next()
    self.digest = digest.flatMap(Digest.init(rawValue:)) ?? .off
    email = try row.next()
    isVerified = try row.next()
    refusal = try row.next()
  }

  /// Selects the preferences of members; append conditions on `m`, the membership.
  static func query(company: UUID) -> SQL {
    """
    select p.language, c.language, d.digest, u.email, u.email_verified_at is not null,
      case when p.refused_key = u.email_key then concat_ws(' ', p.refused_status, p.refused_reason) end
    from core.membership m
    join core.app_user u on u.id = m.user_id
    join core.company c on c.id = m.company_id
    left join core.mail_profile p on p.user_id = m.user_id
    left join core.mail_preference d on d.company_id = m.company_id and d.user_id = m.user_id
    where m.company_id = \(company)
    """
  }
}

extension NoticePreferences {
  /// A change of preferences; nil keeps a value.
  package struct Change: Sendable {
    package var notices: [(topic: String, delivery: Delivery)]
    /// `.some(nil)` selects the language of the company.
    package var language: Language??
    package var digest: MailPreferences.Digest?

    package init(
      notices: [(topic: String, delivery: Delivery)] = [],
      language: Language?? = nil,
      digest: MailPreferences.Digest? = nil
    ) {
      self.notices = notices
      self.language = language
      self.digest = digest
    }
  }

  /// Returns the language, digest and address of the member's mails.
  ///
  /// - Throws: as ``list(_:)``.
  package func mail(_ acting: ActingContext) async throws -> MailPreferences {
    let (company, user) = (acting.company.id, try Self.member(acting))
    let row = try await administration.read(acting, permission: nil) { tx, _ in
      try tx.first(
        "\(MailPreferences.query(company: company)) and m.user_id = \(user)",
        as: MailPreferences.self
      )
    }
    guard let row else { throw DomainError(.forbidden) }
    return row
  }

  /// Returns the language, digest and address of the mails of all active members. Requires `member.read`.
  package func mails(_ acting: ActingContext) async throws -> [MailPreferences] {
    let company = acting.company.id
    return try await administration.read(acting, permission: "member.read") { tx, _ in
      try tx.rows(
        """
        \(MailPreferences.query(company: company)) and m.status = 'active' and u.kind = 'person'
        order by u.email_key
        """,
        as: MailPreferences.self
      )
    }
  }

  /// Changes preferences, all or none.
  ///
  /// - Parameter topics: the existing topics.
  /// - Throws: as ``set(_:_:among:)``.
  package func change(_ acting: ActingContext, _ change: Change, among topics: [String]) async throws {
    let company = acting.company.id
    let wishes = try change.notices.map {
      (topic: try Self.topic($0.topic, among: topics), delivery: $0.delivery)
    }
    try await administration.speak(acting, permission: "inbox.update") { tx, user in
      for wish in wishes {
        try tx.execute(
          """
          insert into core.notification_preference (company_id, user_id, topic, delivery)
          values (\(company), \(user), \(wish.topic), \(wish.delivery.rawValue))
          on conflict (company_id, user_id, topic) do update
          set delivery = excluded.delivery, updated_at = now()
          """
        )
      }
      if let language = change.language {
        try tx.execute(
          """
          insert into core.mail_profile (user_id, language) values (\(user), \(nullable: language?.rawValue))
          on conflict (user_id) do update set language = excluded.language, updated_at = now()
          """
        )
      }
      if let digest = change.digest {
        try tx.execute(
          """
          insert into core.mail_preference (company_id, user_id, digest)
          values (\(company), \(user), \(digest.rawValue))
          on conflict (company_id, user_id) do update set digest = excluded.digest, updated_at = now()
          """
        )
      }
    }
  }
}
