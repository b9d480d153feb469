internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The companies of the acting person: list, switch, join, create, leave and hand over.
package struct OwnCompanies: Sendable {
  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the companies in which the acting person may sign in, by slug.
  package func list(_ acting: ActingContext) async throws -> [OwnCompanyRow] {
    try await administration.read(acting, permission: nil) { tx, _ in try SessionStore.companies(tx) }
  }

  /// Moves the acting session to another company of the person: opens a session there, and ends the acting one.
  ///
  /// - Throws: `not_found` if the person is not an active member of such a company.
  package func enter(_ acting: ActingContext, company slug: String, client: SignInClient) async throws
    -> OpenedSession
  {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    let context = acting.context(requestID: services.ids.next())
    let ids = services.ids
    let key = try services.keys().current(.session)
    return try await services.denials.watching(context) {
      try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
        _ = try Rights.read(acting, requestID: context.requestID, tx)
        guard let target = try SessionStore.companies(tx).first(where: { $0.slug == slug }) else {
          throw DomainError(.notFound, "you are not an active member of a company \(Quoted(slug))")
        }
        let strongAt = try Self.strongAt(acting, tx)
        try PersonStore.enter(target.id, tx)
        let opening = SessionOpening(
          id: ids.next(),
          company: target.id,
          user: user,
          kind: client.transport == .browser ? .browser : .mobile,
          client: client,
          strongAt: strongAt,
          key: key
        )
        let opened = try opening.open(tx)
        if case .session(let old, _) = acting.credential {
          try SessionStore.end(of: user, id: old, because: "switched", tx)
        }
        try AuditWriter.commit([(ids.next(), opening.entry("switch"))], context: opening.context, tx)
        return opened
      }
    }
  }

  /// Joins a company by an invite code.
  ///
  /// - Returns: the company's slug.
  /// - Throws: as ``Invites/redeem(code:email:name:source:proof:)``, and `sign_up_required` for visitors.
  package func join(_ acting: ActingContext, code: String, client: SignInClient) async throws -> String {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    let (email, name) = try await administration.read(acting, permission: nil) { tx, _ in
      try Self.person(user, tx)
    }
    return try await Invites(services).redeem(
      code: code,
      email: email,
      name: name,
      source: client.network,
      proof: .signedIn(user)
    ).company
  }

  /// Creates a company that the acting person owns. The acting session stays where it is.
  ///
  /// - Throws: `already_exists` for a short name in use, `sign_up_required` for visitors and guests, `invalid_name`,
  ///   `invalid_slug`, `invalid_time_zone`.
  package func create(_ acting: ActingContext, _ company: NewCompany) async throws -> CompanyRow {
    guard let user = acting.user, acting.scopes == nil else {
      throw DomainError(.forbidden, "only a person in a session can create a company")
    }
    let ids = services.ids
    let draft = try company.draft(id: ids.next())
    let context = acting.context(requestID: ids.next())
    let row = try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
      _ = try Rights.read(acting, requestID: context.requestID, tx)
      _ = try Self.person(user, tx)
      try PersonStore.enter(draft.id, tx)
      let entries = try draft.insert(owner: user, tx)
      guard let row = try CompanyStore.find(id: draft.id, tx) else { throw DomainError(.internal) }
      let inside = WorkContext(
        company: draft.id,
        actor: .member(user),
        user: user,
        requestID: context.requestID
      )
      try AuditWriter.commit(entries.map { (ids.next(), $0) }, context: inside, tx)
      return row
    }
    await draft.createStartingRecords(services, row, owner: user)
    return row
  }

  /// Leaves the acting company. The person's sessions and tokens there end in the same transaction.
  ///
  /// - Throws: `last_owner` if no active owner would remain.
  package func leave(_ acting: ActingContext) async throws {
    let email = try await email(acting)
    try await Members(services).setStatus(acting, member: email, status: .removed)
  }

  /// Hands the acting company over to another member, and keeps another role. The sessions of both take new secrets.
  ///
  /// - Parameters:
  ///   - handle: the new owner: an e-mail address, or its part before the `@`.
  ///   - role: the role that the person keeps.
  /// - Returns: a new session of the person in the browser; nil for other clients, which refresh their tokens.
  /// - Throws: as ``Companies/transfer(_:to:from:keeping:)``.
  package func handOver(
    _ acting: ActingContext,
    to handle: String,
    keeping role: String,
    client: SignInClient
  ) async throws -> OpenedSession? {
    _ = try await Companies(services).transfer(acting, to: handle, keeping: role)
    guard let user = acting.user, client.transport == .browser, acting.credential != nil else { return nil }
    let opening = SessionOpening(
      id: services.ids.next(),
      company: acting.company.id,
      user: user,
      kind: .browser,
      client: client,
      strongAt: nil,
      key: try services.keys().current(.session)
    )
    let auditID = services.ids.next()
    return try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
      let opened = try opening.open(tx)
      try AuditWriter.commit([(auditID, opening.entry("role_change"))], context: opening.context, tx)
      return opened
    }
  }

  /// Returns the e-mail address of the acting person.
  package func email(_ acting: ActingContext) async throws -> String {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    return try await administration.read(acting, permission: nil) { tx, _ in
      try tx.value("select u.email from core.app_user u where u.id = \(user)", as: String.self)
    }
  }

  private static func strongAt(_ acting: ActingContext, _ tx: Transaction) throws -> Instant? {
    guard case .session(let id, _) = acting.credential else { return nil }
    return try tx.value(
      "select s.strong_at from core.session s where s.company_id = \(acting.company.id) and s.id = \(id)",
      as: Instant?.self
    )
  }

  /// Returns the address and the name of a person.
  ///
  /// - Throws: `sign_up_required` for a visitor or a guest.
  private static func person(_ user: UUID, _ tx: Transaction) throws -> (email: String, name: String) {
    let row = try tx.first(
      """
      select u.email, u.name,
        u.kind = 'person' and not exists (
          select from core.membership m
          where m.company_id = (select core.current_company()) and m.user_id = u.id and m.role = 'guest'
        )
      from core.app_user u where u.id = \(user)
      """,
      String.self,
      String.self,
      Bool.self
    )
    guard let row else { throw DomainError(.unauthenticated) }
    guard row.2 else { throw DomainError(.signUpRequired) }
    return (email: row.0, name: row.1)
  }
}
