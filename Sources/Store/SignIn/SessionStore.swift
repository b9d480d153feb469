package import Domain
package import FoundationEssentials
package import Postgres

/// A session as it is looked up for a presented token.
package struct StoredSession: RowDecodable, Sendable {
  package let user: UUID
  package let kind: SessionKind
  package let secretHash: [UInt8]
  /// The salt of the derived tokens; nil unless the session is a mobile one.
  package let refreshSalt: [UInt8]?
  package let generation: Int32
  /// The newest generation that the client is known to have.
  package let confirmed: Int32
  /// False if the session has ended, or the member may no longer sign in.
  package let isUsable: Bool
  /// False if the access token of the generation has expired.
  package let hasAccess: Bool
  package let strongAt: Instant?
  package let expiresAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    user = try row.next()
    let stored: String = try row.next()
    guard let kind = SessionKind(rawValue: stored) else {
      throw PostgresError(.decoding, "unknown kind of session")
    }
    self.kind = kind
    secretHash = try row.next()
    refreshSalt = try row.next()
    generation = try row.next()
    confirmed = try row.next()
    isUsable = try row.next()
    hasAccess = try row.next()
    strongAt = try row.next()
    expiresAt = try row.next()
  }
}

/// An open session of a person, as the person sees it.
package struct SessionRow: RowDecodable, Sendable {
  package let id: UUID
  package let companyID: UUID
  /// The company's slug.
  package let company: String
  package let kind: String
  package let deviceID: UUID?
  package let deviceName: String
  package let userAgent: String
  package let createdAt: Instant
  package let lastSeenAt: Instant
  package let expiresAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    companyID = try row.next()
    company = try row.next()
    kind = try row.next()
    deviceID = try row.next()
    deviceName = try row.next()
    userAgent = try row.next()
    createdAt = try row.next()
    lastSeenAt = try row.next()
    expiresAt = try row.next()
  }
}

/// A company of the acting user.
package struct OwnCompanyRow: RowDecodable, Sendable {
  package let id: UUID
  package let slug: String
  package let name: String
  package let kind: String
  package let timeZone: String
  package let status: CompanyStatus
  package let role: String
  package let joinedAt: Instant
  /// The time of the user's latest session in the company; nil if there was none.
  package let lastSeenAt: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    slug = try row.next()
    name = try row.next()
    kind = try row.next()
    timeZone = try row.next()
    status = CompanyStatus(stored: try row.next())
    role = try row.next()
    joinedAt = try row.next()
    lastSeenAt = try row.next()
  }
}

/// Sessions. They are written through entry functions, and only those read the secrets.
package enum SessionStore {
  /// The outcome of a refresh.
  package enum Rotation: String, Sendable {
    /// The session has a new generation.
    case rotated
    /// The same tokens are valid again, because their answer was lost.
    case repeated
    /// The token was replaced before, so the session has been ended.
    case reused
    /// The session had ended before.
    case ended
  }

  /// A session to open.
  package struct Draft: Sendable {
    package let id: UUID
    package let company: UUID
    package let user: UUID
    package let kind: SessionKind
    package let secretHash: [UInt8]
    package let refreshSalt: [UInt8]?
    /// The time of the last proof of the person; the distant future for now, nil for none.
    package let strongAt: Instant?
    package let deviceID: UUID?
    package let deviceName: String
    package let userAgent: String

    package init(
      id: UUID,
      company: UUID,
      user: UUID,
      kind: SessionKind,
      secretHash: [UInt8],
      refreshSalt: [UInt8]?,
      strongAt: Instant?,
      deviceID: UUID?,
      deviceName: String,
      userAgent: String
    ) {
      self.id = id
      self.company = company
      self.user = user
      self.kind = kind
      self.secretHash = secretHash
      self.refreshSalt = refreshSalt
      self.strongAt = strongAt
      self.deviceID = deviceID
      self.deviceName = deviceName
      self.userAgent = userAgent
    }
  }

  /// Opens a session in the transaction's company.
  package static func open(_ draft: Draft, _ tx: Transaction) throws {
    try tx.execute(
      """
      select core.open_session(
        \(draft.id), \(draft.company), \(draft.user), \(draft.kind.rawValue), \(draft.secretHash),
        \(nullable: draft.refreshSalt), \(draft.kind.accessSeconds), \(draft.kind.idleSeconds),
        \(draft.kind.lifeSeconds), \(nullable: draft.strongAt), \(nullable: draft.deviceID), \(draft.deviceName),
        \(draft.userAgent))
      """
    )
  }

  /// Returns a session of the transaction's company; nil if there is none.
  package static func find(company: UUID, id: UUID, _ tx: Transaction) throws -> StoredSession? {
    try tx.first(
      """
      select s.user_id, s.kind, s.secret_hash, s.refresh_salt, s.generation, s.confirmed, s.is_usable, s.has_access,
        s.strong_at, s.expires_at
      from core.session_lookup(\(company), \(id)) s
      """,
      as: StoredSession.self
    )
  }

  /// Judges a genuine refresh token.
  ///
  /// - Parameters:
  ///   - generation: the generation of the token.
  ///   - next: the hash of the access token of the next generation.
  package static func rotate(
    company: UUID,
    id: UUID,
    generation: Int32,
    next: [UInt8],
    _ tx: Transaction
  ) throws -> Rotation {
    let seconds = SessionKind.mobile.accessSeconds
    let outcome = try tx.value(
      "select core.rotate_session(\(company), \(id), \(generation), \(next), \(seconds))",
      as: String.self
    )
    return Rotation(rawValue: outcome) ?? .ended
  }

  /// Ends the sessions of a user.
  ///
  /// - Parameters:
  ///   - company: the company of the sessions; nil for all companies.
  ///   - id: the only session to end; nil for all of them.
  ///   - kept: a session that continues; nil for none.
  ///   - reason: lower-case words with underscores.
  /// - Returns: the number of sessions ended.
  @discardableResult
  package static func end(
    of user: UUID,
    company: UUID? = nil,
    id: UUID? = nil,
    except kept: UUID? = nil,
    because reason: String,
    _ tx: Transaction
  ) throws -> Int {
    try tx.value(
      """
      select core.end_sessions(
        \(user), \(reason), \(nullable: company), \(nullable: id), \(nullable: kept))
      """,
      as: Int.self
    )
  }

  /// Returns the open sessions of the transaction's user in all companies, the latest used first.
  package static func mine(_ tx: Transaction) throws -> [SessionRow] {
    try tx.rows(
      """
      select s.id, s.company_id, s.company, s.kind, s.device_id, s.device_name, s.user_agent, s.created_at,
        s.last_seen_at, s.expires_at
      from core.my_sessions() s
      """,
      as: SessionRow.self
    )
  }

  /// Returns the companies in which the transaction's user may sign in, by slug.
  package static func companies(_ tx: Transaction) throws -> [OwnCompanyRow] {
    try tx.rows(
      """
      select c.company_id, c.slug, c.name, c.kind, c.timezone, c.status, c.role, c.joined_at, c.last_seen_at
      from core.my_companies() c
      """,
      as: OwnCompanyRow.self
    )
  }

  /// Records uses of sessions and API tokens, in two statements and one round trip.
  package static func touch(
    sessions: [(company: UUID, id: UUID, at: Instant)],
    tokens: [(id: UUID, at: Instant)],
    _ tx: Transaction
  ) throws {
    try tx.pipeline { pipeline in
      if !sessions.isEmpty {
        pipeline.execute(
          "select core.touch_sessions(\(sessions.map(\.company)), \(sessions.map(\.id)), \(sessions.map(\.at)))"
        )
      }
      if !tokens.isEmpty {
        pipeline.execute("select core.touch_tokens(\(tokens.map(\.id)), \(tokens.map(\.at)))")
      }
    }
  }
}
