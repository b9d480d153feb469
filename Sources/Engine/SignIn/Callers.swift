internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// Finds the bearers of credentials.
package struct Callers: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns the bearer of a session's cookie or access token. The first use of an access token confirms its
  /// generation, after which the previous refresh token is refused.
  ///
  /// - Throws: `session_expired` for a session that is unknown or has ended, and for the wrong secret.
  package func bearer(of token: SessionToken) async throws -> Caller {
    try await services.database.transaction(.inside(token.company)) { tx in
      guard let stored = try SessionStore.find(company: token.company, id: token.id, tx),
        token.matches(stored.secretHash), stored.isUsable, stored.hasAccess,
        let company = try CompanyStore.find(id: token.company, tx)
      else { throw DomainError(.sessionExpired) }
      if stored.kind == .mobile, stored.confirmed < stored.generation {
        let confirm: SQL = "select core.confirm_session(\(token.company), \(token.id), \(stored.generation))"
        guard try tx.value(confirm, as: Bool.self) else { throw DomainError(.sessionExpired) }
      }
      return Caller(
        kind: Caller.Kind(stored.kind),
        acting: ActingContext(
          company: company,
          actor: .member(stored.user),
          user: stored.user,
          credential: .session(token.id, generation: stored.generation)
        ),
        user: stored.user,
        session: token.id,
        strongAt: stored.strongAt
      )
    }
  }

  /// Returns the bearer of an API token.
  ///
  /// - Throws: `unauthenticated`, always with the same message.
  package func bearer(ofToken text: String) async throws -> Caller {
    let acting: ActingContext
    do {
      acting = try await Tokens(services).acting(bearing: text)
    } catch let error as DomainError where error.code == .forbidden {
      throw DomainError(.unauthenticated, "the token is not valid", hint: "create another token")
    }
    guard let user = acting.user else { throw DomainError(.internal) }
    return Caller(kind: .token, acting: acting, user: user)
  }

  /// Returns the person whom an authenticating proxy names.
  ///
  /// The proxy proves the address. If nobody has proved it before, what lets others sign in to the account ends: they
  /// may have made it with this address.
  ///
  /// - Parameters:
  ///   - email: the e-mail address of the user.
  ///   - slug: the company; nil for the user's only company.
  /// - Throws: `unauthenticated` if there is no such active member, or if the user has several companies and none
  ///   is named.
  package func proxied(email: String, company slug: String?) async throws -> Caller {
    // As everywhere: an address has many spellings, and one key.
    guard let address = try? EmailAddress(parsing: email) else { throw Self.unknown }
    return try await services.database.transaction { tx in
      let user = try tx.value(
        "select u.id from core.user_by_email(\(address.key)) u where u.status = 'active' and u.kind = 'person'",
        as: UUID?.self
      )
      guard let user else { throw Self.unknown }
      try tx.execute("select core.prove_address(\(user))")
      try tx.act(for: user)
      let companies = try SessionStore.companies(tx).filter { slug == nil || $0.slug == slug }
      guard let own = companies.first, companies.count == 1 else {
        throw companies.isEmpty
          ? Self.unknown
          : DomainError(.unauthenticated, "the proxy names no company", hint: "set the header of the company")
      }
      try PersonStore.enter(own.id, tx)
      guard let company = try CompanyStore.find(id: own.id, tx) else { throw Self.unknown }
      return Caller(
        kind: .proxy,
        acting: ActingContext(company: company, actor: .member(user), user: user),
        user: user
      )
    }
  }

  private static let unknown = DomainError(
    .unauthenticated,
    "the user that the proxy names is not an active member",
    hint: "invite the person to the company"
  )
}
