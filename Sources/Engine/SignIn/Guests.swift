internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Those who enter the demo company without an account: guests, who share one member and can only read, and the person
/// at whose machine the demo was loaded.
package struct Guests: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Opens a session of the guest of a demo company.
  ///
  /// - Throws: `not_found` if there is no active demo company of this name, or it has no guest.
  package func open(company slug: String = "demo", client: SignInClient) async throws -> OpenedSession {
    try await open(company: slug, role: .guest, kind: .guest, client: client)
  }

  /// True if there is a demo company that guests can enter.
  package func canEnter(company slug: String = "demo") async throws -> Bool {
    try await services.database.transaction { tx in
      try tx.value(
        """
        select exists (
          select from core.company_by_slug(\(slug)) c where c.kind = 'demo' and c.status in ('active', 'suspended')
        )
        """,
        as: Bool.self
      )
    }
  }

  /// Opens a session of the owner of a demo company, for the person who has started the server on this machine.
  ///
  /// - Throws: `not_found` if there is no active demo company of this name.
  package func openOwner(company slug: String = "demo", client: SignInClient) async throws -> OpenedSession {
    try await open(company: slug, role: .owner, kind: .browser, client: client)
  }

  private func open(company slug: String, role: BuiltInRole, kind: SessionKind, client: SignInClient)
    async throws
    -> OpenedSession
  {
    let unknown = DomainError(.notFound, "there is no demo company \(Quoted(slug))", hint: "sign up instead")
    let found = try await services.database.transaction { tx -> (UUID, UUID)? in
      let company = try tx.value(
        "select c.id from core.company_by_slug(\(slug)) c where c.kind = 'demo' and c.status in ('active', 'suspended')",
        as: UUID?.self
      )
      guard let company else { return nil }
      try PersonStore.enter(company, tx)
      let member = try tx.value(
        """
        select m.user_id from core.membership m
        where m.company_id = \(company) and m.role = \(role.rawValue) and m.status = 'active'
        order by m.created_at, m.user_id
        limit 1
        """,
        as: UUID?.self
      )
      return member.map { (company, $0) }
    }
    guard let (company, member) = found else { throw unknown }
    let opening = SessionOpening(
      id: services.ids.next(),
      company: company,
      user: member,
      kind: kind,
      client: client,
      strongAt: nil,
      key: try services.keys().current(.session)
    )
    return try await services.database.transaction(.inside(company, user: member)) { tx in
      try opening.open(tx)
    }
  }
}
