internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The session in the cookie that a new session of the same browser replaces.
///
/// It ends with the sign-in, because nobody could end it afterwards: the browser has forgotten its secret.
struct ReplacedSession: Sendable {
  private let token: SessionToken

  /// - Parameter cookie: the value of the cookie.
  /// - Returns: nil for a text that is no cookie's.
  init?(cookie: String) {
    guard let token = try? SessionToken.parse(cookie, from: .cookie) else { return nil }
    self.token = token
  }

  /// Ends the session, which may be another person's and of another company. Does nothing unless it is open and
  /// the cookie has its secret. The transaction is inside the session's company afterwards.
  ///
  /// - Parameter id: the id of the audit entry.
  func end(auditID id: UUID, requestID: UUID, _ tx: Transaction) throws {
    try PersonStore.enter(token.company, tx)
    guard let stored = try SessionStore.find(company: token.company, id: token.id, tx),
      stored.isUsable, token.matches(stored.secretHash)
    else { return }
    try SessionStore.end(of: stored.user, company: token.company, id: token.id, because: "replaced", tx)
    let entry = AuditEntry(
      action: "session.ended",
      subjectType: "session",
      subjectID: token.id.text,
      detail: JSON(["reason": "replaced", "sessions": 1] as JSONObject)
    )
    let context = WorkContext(
      company: token.company,
      actor: .member(stored.user),
      user: stored.user,
      requestID: requestID
    )
    try tx.execute(AuditWriter.insert(entry, id: id, context: context))
  }
}
