internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// API tokens: what a program shows instead of a password.
package struct Tokens: Sendable {
  private let services: Services
  private let office: Office

  package init(_ services: Services) {
    self.services = services
    office = Office(services)
  }

  /// The company's tokens, never a secret.
  package func list(_ seat: Seat) async throws -> [TokenRow] {
    try await office.look(seat, permission: "token.read") { tx, _ in try TokenStore.all(company: seat.company.id, tx) }
  }

  /// Makes a token for a member; its rights are its scopes within what the member may do at each use.
  ///
  /// - Returns: the token's id and its text, which is shown once.
  package func create(
    _ seat: Seat, owner: MemberRow, name: String, scopes: [String], days: Int?
  ) async throws -> (id: UUID, text: String) {
    let display = try DisplayName(parsing: name)
    for scope in scopes { _ = try Permission(parsing: scope) }
    let token = APIToken.make(company: seat.company.id, id: services.ids.next())
    let permission = owner.userID == seat.user ? "token.create" : "member.update"
    return try await office.administer(seat, permission: permission) { tx, rights in
      try rights.mayChange(owner, in: seat.company.id, tx)
      try rights.mayGrant(permissions: scopes, called: "the token")
      let now = try tx.value("select now()", as: Timestamp.self)
      let expiry = days.map { Timestamp(microseconds: now.microseconds + Int64($0) * 86_400_000_000) }
      try TokenStore.insert(
        id: token.id, company: seat.company.id, user: owner.userID, name: display.text, secretHash: token.hash,
        scopes: scopes, expiresAt: expiry, tx)
      let detail: JSONObject = ["name": .string(display.text), "scopes": .strings(scopes)]
      return (
        (id: token.id, text: token.text),
        [AuditEntry(action: "token.created", subjectType: "token", subjectID: token.id.text, detail: JSON(detail))]
      )
    }
  }

  /// Ends a token.
  package func revoke(_ seat: Seat, id: UUID) async throws {
    try await office.administer(seat, permission: "token.revoke") { tx, _ in
      guard try TokenStore.revoke(company: seat.company.id, id: id, tx) else {
        throw DomainError(.notFound, "there is no such token, or it has ended already")
      }
      return ((), [AuditEntry(action: "token.revoked", subjectType: "token", subjectID: id.text)])
    }
  }
}
