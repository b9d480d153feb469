internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Sessions {
  /// Exchanges a refresh token for the tokens of the next generation.
  ///
  /// The previous refresh token gives the same tokens again until the client has used one of them, so that a client
  /// that lost an answer stays signed in. After that, the use of a replaced token means that it was copied, and the
  /// session ends. A text that was not made by this server changes nothing, because the id of a session is no secret and
  /// must not suffice to end it.
  ///
  /// - Throws: `session_expired`, always with the same message, for each token that is not accepted.
  package func refresh(_ text: String, client: SignInClient) async throws -> OpenedSession {
    // A malformed token is refused like a replaced one.
    guard let token = try? RefreshToken.parse(text) else { throw DomainError(.sessionExpired) }
    let keys = try services.keys()
    let auditID = services.ids.next()
    let opened = try await services.database.transaction(.inside(token.company)) { tx -> OpenedSession? in
      guard let stored = try SessionStore.find(company: token.company, id: token.id, tx),
        let salt = stored.refreshSalt, token.isGenuine(salt: salt, keys: keys.all(.session))
      else { return nil }
      let (next, key) = (token.generation + 1, keys.current(.session))
      let access = SessionToken.derived(
        company: token.company,
        id: token.id,
        generation: next,
        salt: salt,
        key: key
      )
      let outcome = try SessionStore.rotate(
        company: token.company,
        id: token.id,
        generation: token.generation,
        next: access.hash,
        tx
      )
      switch outcome {
      case .rotated, .repeated:
        guard let company = try CompanyStore.find(id: token.company, tx) else { return nil }
        return OpenedSession(
          id: token.id,
          company: company,
          user: stored.user,
          kind: .mobile,
          token: access,
          refresh: .derived(company: token.company, id: token.id, generation: next, salt: salt, key: key),
          keepsRefreshInCookie: client.keepsRefreshInCookie,
          expiresIn: Int(SessionKind.mobile.accessSeconds)
        )
      case .reused:
        // The transaction commits, because the session has been ended in it.
        let entry = AuditEntry(
          action: "session.reused",
          subjectType: "session",
          subjectID: token.id.text,
          detail: JSON(
            [
              "generation": .integer(token.generation), "current": .integer(stored.generation),
              "address": .string(client.address),
            ] as JSONObject
          )
        )
        let context = WorkContext(
          company: token.company,
          actor: .member(stored.user),
          user: stored.user,
          requestID: client.requestID
        )
        try AuditWriter.commit([(auditID, entry)], context: context, tx)
        return nil
      case .ended: return nil
      }
    }
    guard let opened else { throw DomainError(.sessionExpired) }
    return opened
  }
}
