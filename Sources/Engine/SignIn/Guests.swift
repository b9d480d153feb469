internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Guests of the demo company, who share one member and can only read.
package struct Guests: Sendable {
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Opens a session of the guest of a demo company.
  ///
  /// - Throws: `not_found` if there is no active demo company of this name, or it has no guest.
  package func open(company slug: String = "demo", client: SignInClient) async throws -> OpenedSession {
    let unknown = DomainError(.notFound, "there is no demo company \(Quoted(slug))", hint: "sign up instead")
    let found = try await services.database.transaction { tx -> (UUID, UUID)? in
      let company = try tx.value(
        "select c.id from core.company_by_slug(\(slug)) c where c.kind = 'demo' and c.status in ('active', 'suspended')",
        as: UUID?.self
      )
      guard let company else { return nil }
      try PersonStore.enter(company, tx)
      let guest = try tx.value(
        """
        select m.user_id from core.membership m
        where m.company_id = \(company) and m.role = 'guest' and m.status = 'active'
        order by m.created_at, m.user_id
        limit 1
        """,
        as: UUID?.self
      )
      return guest.map { (company, $0) }
    }
    guard let (company, guest) = found else { throw unknown }
    let opening = SessionOpening(
      id: services.ids.next(),
      company: company,
      user: guest,
      kind: .guest,
      client: client,
      strongAt: nil,
      key: try services.keys().current(.session)
    )
    return try await services.database.transaction(.inside(company, user: guest)) { tx in try opening.open(tx)
    }
  }
}
