internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// People without an account: each is a user of kind visitor with a personal company of their own.
///
/// The visitor holds the role `user` there, and the company has no owner until the visitor signs in: an anonymous
/// person can neither invite nor administer.
package struct Visitors: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Creates a visitor with a company and a session.
  ///
  /// - Parameter timeZone: the time zone of the company.
  /// - Throws: `invalid_time_zone`.
  package func open(timeZone: String = "UTC", client: SignInClient) async throws -> OpenedSession {
    let ids = services.ids
    let (company, user) = (ids.next(), ids.next())
    let name = try DisplayName(parsing: "Visitor")
    let opening = SessionOpening(
      id: ids.next(),
      company: company,
      user: user,
      kind: .visitor,
      client: client,
      strongAt: nil,
      key: try services.keys().current(.session)
    )
    return try await services.database.transaction(.inside(company, user: user)) { tx in
      let timeZone = try TimeZoneCheck.require(timeZone, tx)
      let email = "\(user.text)@visitor.invalid"
      let isNew = try MemberStore.insertUser(id: user, email: email, name: name.text, kind: "visitor", tx)
      let slug = "v-\(Hex.encode(SecureRandom.bytes(12)))"
      guard isNew,
        try CompanyStore.signUp(
          id: company,
          slug: slug,
          name: name.text,
          kind: .personal,
          timeZone: timeZone,
          apps: nil,
          tx
        )
      else { throw DomainError(.internal) }
      let role = BuiltInRole.user.rawValue
      _ = try MemberStore.insert(company: company, user: user, role: role, invitedBy: nil, tx)
      let opened = try opening.open(tx)
      try AuditWriter.commit([(ids.next(), opening.entry("visitor"))], context: opening.context, tx)
      return opened
    }
  }

  /// Hands a visitor's company and records over to a user, once: the user becomes its owner, the visitor's
  /// membership, sessions and account end, and the visitor's private records of all apps become the user's.
  ///
  /// - Parameters:
  ///   - token: the visitor's cookie or access token.
  ///   - prepare: writes of the same transaction that come first, such as the user's account.
  /// - Returns: the company; nil for a token that is no open session of a visitor, for example after a claim.
  func claim(
    _ text: String,
    for user: UUID,
    client: SignInClient,
    prepare: @escaping @Sendable (Transaction) throws -> Void = { _ in }
  ) async throws -> UUID? {
    let parsed = SessionToken.Carrier.allCases.lazy.compactMap { try? SessionToken.parse(text, from: $0) }
      .first
    guard let token = parsed, let company = try await company(of: token) else { return nil }
    let records = try await Records.open(services)
    let acting = ActingContext(
      company: company,
      actor: .member(user),
      user: user,
      requestID: client.requestID
    )
    do {
      _ = try await records.perform(acting) { work in
        try take(token, acting, records, prepare, in: &work)
      }
    } catch is AlreadyClaimed {
      return nil
    }
    return company.id
  }

  /// True if a text is the token of an open session of a visitor.
  package func isVisitor(_ text: String) async throws -> Bool {
    guard let token = Self.token(text) else { return false }
    return try await company(of: token) != nil
  }

  /// Returns a cookie or an access token; nil for another text, which is the token of nobody.
  private static func token(_ text: String) -> SessionToken? {
    SessionToken.Carrier.allCases.lazy.compactMap { try? SessionToken.parse(text, from: $0) }.first
  }

  /// Returns the company of a visitor's open session; nil for any other token.
  private func company(of token: SessionToken) async throws -> CompanyRow? {
    try await services.database.transaction(.inside(token.company, readOnly: true)) { tx in
      guard let stored = try SessionStore.find(company: token.company, id: token.id, tx),
        stored.kind == .visitor, stored.isUsable, token.matches(stored.secretHash)
      else { return nil }
      return try CompanyStore.find(id: token.company, tx)
    }
  }

  private func take(
    _ token: SessionToken,
    _ acting: ActingContext,
    _ records: Records,
    _ prepare: (Transaction) throws -> Void,
    in work: inout Work
  ) throws -> Int {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    let (tx, company) = (work.transaction, acting.company.id)
    _ = try CompanyStore.lock(id: company, tx)
    guard let stored = try SessionStore.find(company: company, id: token.id, tx),
      stored.kind == .visitor, stored.isUsable, stored.user != user
    else { throw AlreadyClaimed() }
    let visitor = stored.user
    try prepare(tx)
    _ = try MemberStore.insert(
      company: company,
      user: user,
      role: BuiltInRole.owner.rawValue,
      invitedBy: nil,
      tx
    )
    guard let moved = try VisitorClaim.take(records, acting, visitor, &work) else { throw AlreadyClaimed() }
    return moved
  }

  /// Somebody else has claimed the visitor meanwhile.
  private struct AlreadyClaimed: Error {}
}
