package import Domain
package import FoundationEssentials
internal import Postgres
package import Secrets
package import Store

/// A session with its secrets, which are sent to the client once.
package struct OpenedSession: Sendable {
  package let id: UUID
  package let company: CompanyRow
  package let user: UUID
  package let kind: SessionKind
  /// The cookie or the access token.
  package let token: SessionToken
  /// The refresh token; nil unless the session is a mobile one.
  package let refresh: RefreshToken?
  /// True if the client keeps the refresh token in a cookie.
  package let keepsRefreshInCookie: Bool
  /// The seconds after which the token must be refreshed, or the session ends.
  package let expiresIn: Int
  /// True if the records of the visitor that the person was until now belong to the account now.
  package var hasClaimed = false
}

/// Opens one session within a transaction.
struct SessionOpening: Sendable {
  let id: UUID
  let company: UUID
  let user: UUID
  let kind: SessionKind
  let client: SignInClient
  /// The time of the last proof of the person. `.distantFuture` stands for the current time, nil for no proof.
  let strongAt: Instant?
  /// The current key ``Keys/Purpose/session``.
  let key: Keys.Version
  /// The idempotency key of the request; nil for none.
  private(set) var requestKey = RequestKey.current

  /// Opens the session, and ends the one whose cookie it replaces. The transaction must be inside the company.
  ///
  /// - Throws: `forbidden` if the user is not an active member, or the company does not permit sign-in.
  func open(_ tx: Transaction) throws -> OpenedSession {
    try requestKey?.claim(tx)
    if client.transport == .browser, let cookie = client.replacedCookie,
      let replaced = ReplacedSession(cookie: cookie)
    {
      try replaced.end(auditID: UUIDv7Generator.shared.next(), requestID: client.requestID, tx)
      try PersonStore.enter(company, tx)
    }
    let carrier: SessionToken.Carrier = client.transport == .browser ? .cookie : .bearer
    var salt: [UInt8]?
    var token = SessionToken.make(carrier, company: company, id: id)
    var refresh: RefreshToken?
    if kind == .mobile {
      let fresh = SecureRandom.bytes(16)
      salt = fresh
      token = .derived(company: company, id: id, generation: 1, salt: fresh, key: key)
      refresh = .derived(company: company, id: id, generation: 1, salt: fresh, key: key)
    }
    let draft = SessionStore.Draft(
      id: id,
      company: company,
      user: user,
      kind: kind,
      secretHash: token.hash,
      refreshSalt: salt,
      strongAt: strongAt,
      deviceID: client.deviceID,
      deviceName: client.deviceName,
      userAgent: client.userAgent
    )
    do {
      try tx.savepoint { tx in try SessionStore.open(draft, tx) }
    } catch let error as PostgresError where error.sqlState == .foreignKeyViolation {
      throw DomainError(.forbidden, "you are not an active member of this company")
    }
    guard let row = try CompanyStore.find(id: company, tx) else { throw DomainError(.internal) }
    return OpenedSession(
      id: id,
      company: row,
      user: user,
      kind: kind,
      token: token,
      refresh: refresh,
      keepsRefreshInCookie: client.keepsRefreshInCookie,
      expiresIn: Int(kind.accessSeconds)
    )
  }

  /// The audit entry of the sign-in.
  ///
  /// - Parameter method: the proof of the person, such as `password`.
  func entry(_ method: String) -> AuditEntry {
    AuditEntry(
      action: "session.opened",
      subjectType: "session",
      subjectID: id.text,
      detail: JSON(
        [
          "kind": .string(kind.rawValue), "method": .string(method), "address": .string(client.address),
        ] as JSONObject
      )
    )
  }

  /// The context of the audit entry.
  var context: WorkContext {
    WorkContext(company: company, actor: .member(user), user: user, requestID: client.requestID)
  }
}
