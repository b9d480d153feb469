internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// The use cases of API tokens, the credentials of programs.
package struct Tokens: Sendable {
  /// A new token, shown only once.
  package struct Issued: Sendable {
    package let id: UUID
    package let text: String
    package let owner: String
    package let expiresAt: Instant?
  }

  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the company's tokens without their secrets; without `token.read` only the actor's own.
  package func list(_ acting: ActingContext) async throws -> [TokenRow] {
    try await administration.read(acting, permission: "token.read.own") { tx, rights in
      try Self.visible("token.read", acting, rights, tx)
    }
  }

  /// Creates a token for a member. At each use, its rights are its scopes within the member's rights (rule
  /// R4).
  ///
  /// - Parameters:
  ///   - handle: the member; nil for the acting member.
  ///   - scopes: the permissions of the token, at least one, which the actor must hold.
  ///   - days: the validity, 1 to 3,650 days; nil until the token is revoked.
  /// - Throws: `missing_fields` without scopes or a member, `invalid_input` for other days, `wrong_state`
  ///   unless the member is active, `unknown_permission`, `grant_exceeds_own`, `member_outranks`,
  ///   `forbidden`.
  package func create(
    _ acting: ActingContext,
    owner handle: String?,
    name: String,
    scopes: [String],
    days: Int?
  ) async throws -> Issued {
    let display = try DisplayName(parsing: name)
    if let days, !(1...3650).contains(days) {
      throw DomainError(.invalidInput, "a token is valid for 1 to 3650 days, not \(days)")
    }
    guard !scopes.isEmpty else {
      throw DomainError(
        .missingFields,
        "the token has no scopes",
        hint: "choose permissions from `fettle role permissions`"
      )
    }
    let owner = try await owner(handle, acting)
    let token = APIToken.make(company: acting.company.id, id: services.ids.next())
    let permission = owner == acting.user ? "token.create" : "member.update"
    return try await administration.administer(acting, permission: permission) { tx, rights in
      guard let member = try MemberStore.lock(company: acting.company.id, user: owner, tx),
        member.status == .active
      else { throw DomainError(.wrongState, "only an active member can have a token") }
      try rights.mayChange(member, in: acting.company, tx)
      let catalogue = try PermissionCatalogue.stored(tx)
      let wanted = PermissionSet(try scopes.map { try catalogue.permission(named: $0) })
      try rights.mayGrant(wanted)
      let expiry = days.map {
        Instant(microseconds: rights.access.now.microseconds + Int64($0) * 86_400_000_000)
      }
      let names = wanted.granted.sorted().map(\.name)
      try TokenStore.insert(
        id: token.id,
        company: acting.company.id,
        user: owner,
        name: display.text,
        secretHash: token.hash,
        scopes: names,
        expiresAt: expiry,
        tx
      )
      let detail: JSONObject = [
        "name": .string(display.text), "owner": .string(member.email), "scopes": .strings(names),
      ]
      return (
        Issued(id: token.id, text: token.text, owner: member.email, expiresAt: expiry),
        [
          AuditEntry(
            action: "token.created",
            subjectType: "token",
            subjectID: token.id.text,
            detail: JSON(detail)
          )
        ]
      )
    }
  }

  /// Revokes a token. Without `token.revoke`, members can revoke only their own tokens.
  ///
  /// - Parameter name: the token's id, the beginning of its id, its name or the end of its name.
  /// - Throws: `not_found`, `invalid_input` if several match, `wrong_state` if the token is revoked already.
  @discardableResult
  package func revoke(_ acting: ActingContext, token name: String) async throws -> TokenRow {
    try await administration.administer(acting, permission: "token.revoke.own") { tx, rights in
      let tokens = try Self.visible("token.revoke", acting, rights, tx)
      // Several tokens may share a name, so revoked ones are ignored.
      let alive = tokens.filter { $0.revokedAt == nil }
      let named = Shortened("token", name, list: "fettle token list --company \(acting.company.slug)")
      let token = try named.find(in: alive.isEmpty ? tokens : alive, id: \.id, called: \.name)
      guard try TokenStore.revoke(company: acting.company.id, id: token.id, tx) else {
        throw DomainError(.wrongState, "the token \(Quoted(token.name)) has ended already")
      }
      return (token, [AuditEntry(action: "token.revoked", subjectType: "token", subjectID: token.id.text)])
    }
  }

  private func owner(_ handle: String?, _ acting: ActingContext) async throws -> UUID {
    if let handle { return try await ActingContexts(services).member(handle, of: acting.company).userID }
    guard let user = acting.user else {
      throw DomainError(
        .missingFields,
        "a token belongs to a member",
        hint: "name the member with --for or --as"
      )
    }
    return user
  }

  private static func visible(
    _ permission: String,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> [TokenRow] {
    let all = try TokenStore.all(company: acting.company.id, tx)
    guard !rights.holds(permission), let user = acting.user else { return all }
    let email = try tx.value("select u.email from core.app_user u where u.id = \(user)", as: String.self)
    return all.filter { $0.owner == email }
  }
}
