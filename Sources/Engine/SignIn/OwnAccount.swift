package import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

/// The acting person: account, company, role and permissions.
package struct OwnAccount: Sendable {
  /// The account in the acting company.
  package struct Overview: Sendable {
    package let id: UUID
    package let email: String
    package let name: String
    package let kind: String
    /// The time at which the address was verified; nil if it was not.
    package let emailVerifiedAt: Instant?
    package let role: String
    /// The permissions that apply now, within the scopes of a token.
    package let permissions: [String]
    /// The status of the company.
    package let companyStatus: CompanyStatus
  }

  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns the acting person.
  package func show(_ acting: ActingContext) async throws -> Overview {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    return try await CompanyAdministration(services).read(acting, permission: nil) { tx, rights in
      let row = try tx.first(
        "select u.email, u.name, u.kind, u.email_verified_at from core.app_user u where u.id = \(user)",
        String.self,
        String.self,
        String.self,
        Instant?.self
      )
      guard let (email, name, kind, verified) = row else { throw DomainError(.notFound) }
      return Overview(
        id: user,
        email: email,
        name: name,
        kind: kind,
        emailVerifiedAt: verified,
        role: rights.access.role ?? "",
        permissions: rights.granted.granted.map(\.name).sorted(),
        companyStatus: rights.companyStatus
      )
    }
  }

  /// Changes the name of the acting person, in all companies.
  ///
  /// - Throws: `invalid_name`, `forbidden` for a guest.
  package func rename(_ acting: ActingContext, to name: String) async throws {
    let email = try await OwnCompanies(services).email(acting)
    try await CompanyAdministration(services).read(acting, permission: nil) { _, rights in
      try rights.requireVoice()
    }
    _ = try await Members(services).update(acting, member: email, name: name)
  }
}
