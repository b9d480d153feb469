internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Changes the credentials of the acting person: identities and second factors. They belong to the person, not to
/// a company; the audit of the company in which the person is signed in records the change.
struct OwnCredentials {
  /// Seconds after which a sign-in is not recent any more.
  static let recently = 900

  let services: Services

  /// Runs a read-only body for the acting person.
  ///
  /// - Throws: `session_expired`, `forbidden` for a token, an operator or a guest.
  func read<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction, UUID) throws -> Value
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    let options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    return try await services.denials.watching(context) {
      try await services.database.transaction(options) { tx in
        try body(tx, Self.person(acting, Rights.read(acting, requestID: context.requestID, tx)))
      }
    }
  }

  /// Runs a body that changes credentials of the acting person, who signed in recently, and writes the audit
  /// entries that it returns.
  ///
  /// - Throws: `session_expired`, `forbidden` as for ``read(_:_:)``, `unauthenticated` if the sign-in is not
  ///   recent.
  func change<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction, UUID) throws -> (Value, [AuditEntry])
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    let ids = services.ids
    var options = TransactionOptions.inside(acting.company.id, user: acting.user)
    options.retries = 5
    options.resolvesLostCommit = true
    return try await services.denials.watching(context) { [options] in
      try await services.database.transaction(options) { tx in
        let user = try Self.person(acting, Rights.read(acting, requestID: context.requestID, tx))
        try Self.requireRecentSignIn(acting, tx)
        let (value, audit) = try body(tx, user)
        try AuditWriter.commit(audit.map { (ids.next(), $0) }, context: context, tx)
        return value
      }
    }
  }

  /// Returns the acting person. A token, an operator and the guest of the demo are none.
  private static func person(_ acting: ActingContext, _ rights: Rights) throws -> UUID {
    let role = rights.access.role.flatMap(BuiltInRole.init(rawValue:))
    guard let user = acting.user, acting.actor.kind == .member, acting.scopes == nil, role?.hasVoice ?? true
    else {
      throw DomainError(.forbidden, "only a person can change how they sign in", hint: "sign in as a person")
    }
    return user
  }

  private static func requireRecentSignIn(_ acting: ActingContext, _ tx: Transaction) throws {
    guard case .session(let id, _) = acting.credential else {
      throw DomainError(.unauthenticated, "this requires a recent sign-in", hint: "sign in again")
    }
    let isRecent = try tx.value(
      """
      select exists (
        select from core.session s
        where s.company_id = \(acting.company.id) and s.id = \(id)
          and s.strong_at > now() - make_interval(secs => \(recently))
      )
      """,
      as: Bool.self
    )
    guard isRecent else {
      throw DomainError(.unauthenticated, "this requires a recent sign-in", hint: "sign in again")
    }
  }
}

extension AuditEntry {
  /// Returns an entry about the credentials of a member.
  static func credential(_ action: String, of user: UUID, detail: JSONObject = [:]) -> AuditEntry {
    AuditEntry(action: action, subjectType: "member", subjectID: user.text, detail: JSON(detail))
  }
}
