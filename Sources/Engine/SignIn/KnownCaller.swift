package import Domain
package import FoundationEssentials
package import Store

/// The bearer of a credential, without rights: every transaction reads these.
package struct KnownCaller: Sendable {
  package let kind: CallerKind
  package let company: CompanyRow
  package let user: UUID
  package let actor: Actor
  /// The session or token, checked again by every transaction; nil for a user whom a proxy names.
  package let credential: Credential?
  /// The scopes of a token; nil for other kinds.
  package let scopes: PermissionSet?
  /// The time of the last proof of the person; nil if there was none.
  package let strongAt: Instant?

  package init(
    kind: CallerKind,
    company: CompanyRow,
    user: UUID,
    actor: Actor,
    credential: Credential?,
    scopes: PermissionSet?,
    strongAt: Instant?
  ) {
    self.kind = kind
    self.company = company
    self.user = user
    self.actor = actor
    self.credential = credential
    self.scopes = scopes
    self.strongAt = strongAt
  }

  /// The id of the session; nil for other credentials.
  package var session: UUID? { if case .session(let id, _) = credential { id } else { nil } }

  /// The text that identifies the credential in tokens against forged requests.
  package var subject: String {
    switch credential {
    case .session(let id, let generation): "session \(id.text) \(generation)"
    case .token(let id): "token \(id.text)"
    case nil: "proxy \(company.id.text) \(user.text)"
    }
  }

  /// True if the person proved who they are in the 15 minutes before a time. A proxy proves it with each request.
  package func isStrong(at now: Instant) -> Bool {
    guard kind != .proxy else { return true }
    guard let strongAt else { return false }
    return now.microseconds - strongAt.microseconds < SessionKind.strongSeconds * 1_000_000
  }

  /// Returns the acting context of a request.
  package func acting(requestID: UUID) -> ActingContext {
    ActingContext(
      company: company,
      actor: actor,
      user: user,
      scopes: scopes,
      credential: credential,
      requestID: requestID
    )
  }
}
