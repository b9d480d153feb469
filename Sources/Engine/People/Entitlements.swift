internal import Domain
internal import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// The use cases of the entitlements of companies and members to additional features, such as `pro`.
package struct Entitlements: Sendable {
  private let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the company's entitlements, and on request also past and revoked ones. Requires `company.read`.
  package func list(_ acting: ActingContext, includingPast: Bool = false) async throws -> [EntitlementRow] {
    try await administration.read(acting, permission: "company.read") { tx, _ in
      try EntitlementStore.all(company: acting.company.id, includingPast: includingPast, tx)
    }
  }

  /// Grants an entitlement to the company or to one member. A repeated grant changes the dates. Operators
  /// only.
  ///
  /// - Parameters:
  ///   - member: the member's handle; nil for the whole company.
  ///   - from: the first moment; nil for now.
  ///   - until: the end; nil for unlimited.
  /// - Throws: `forbidden` for a member; `invalid_input` for a name that no type requires, an end before the
  ///   start or an end in the past; `not_found` for an unknown member.
  package func grant(
    _ acting: ActingContext,
    name: String,
    to member: String? = nil,
    from: Instant? = nil,
    until: Instant? = nil
  ) async throws {
    let name = try await known(name)
    let user = try await person(member, acting)
    if let until, let from, until <= from {
      throw DomainError(.invalidInput, "the entitlement would end before it begins")
    }
    for date in [from, until].compactMap({ $0 }) {
      try RecordedYears.require(date)
    }
    let id = services.ids.next()
    let who = try operatorName(acting)
    try await administration.administer(acting, permission: nil) { tx, rights in
      if let until, until <= rights.access.now, from == nil {
        throw DomainError(.invalidInput, "\(until) has passed already")
      }
      try EntitlementStore.grant(
        id: id,
        company: acting.company.id,
        user: user?.userID,
        name: name,
        from: from,
        until: until,
        by: who,
        tx
      )
      return ((), [Self.audit("entitlement.granted", name, user, until)])
    }
  }

  /// Revokes an entitlement. Existing records can still be read and deleted. Operators only.
  ///
  /// - Parameter member: the member's handle; nil for the company's own entitlement.
  /// - Throws: `not_found` if the company or the member does not have the entitlement, `forbidden` for a
  ///   member.
  package func revoke(_ acting: ActingContext, name: String, from member: String? = nil) async throws {
    let user = try await person(member, acting)
    let who = try operatorName(acting)
    try await administration.administer(acting, permission: nil, for: .keepBooks) { tx, _ in
      let revoked = try EntitlementStore.revoke(
        company: acting.company.id,
        user: user?.userID,
        name: name,
        by: who,
        tx
      )
      guard revoked else {
        throw DomainError(
          .notFound,
          "\(user?.email ?? acting.company.slug) has no entitlement \(Quoted(name))",
          hint: "list the entitlements with `fettle entitlement list --company \(acting.company.slug)`"
        )
      }
      return ((), [Self.audit("entitlement.revoked", name, user, nil)])
    }
  }

  /// Returns the names of the entitlements that installed types require.
  package func names() async throws -> [String] {
    let types = try await services.database.transaction { tx in try TypeCatalogue.load(tx).types }
    return Set(types.compactMap(\.definition.entitlement)).sorted()
  }

  private func known(_ name: String) async throws -> String {
    let names = try await names()
    guard !names.contains(name) else { return name }
    throw DomainError(
      .invalidInput,
      "no record type requires the entitlement \(Quoted(name))",
      hint: Suggestion.closest(to: name, among: names).map { "did you mean \($0)?" }
        ?? "use one of: \(names.joined(separator: ", "))"
    )
  }

  private func person(_ handle: String?, _ acting: ActingContext) async throws -> MemberRow? {
    guard let handle else { return nil }
    return try await ActingContexts(services).member(handle, of: acting.company)
  }

  private func operatorName(_ acting: ActingContext) throws -> String {
    guard acting.user == nil, acting.actor.kind == .operator, let name = acting.actor.name else {
      throw DomainError(.forbidden, "only operators grant and revoke entitlements", hint: "leave out --as")
    }
    return name
  }

  private static func audit(_ action: String, _ name: String, _ user: MemberRow?, _ until: Instant?)
    -> AuditEntry
  {
    let detail: JSONObject = [
      "name": .string(name), "member": user.map { .string($0.userID.text) } ?? .null,
      "until": until.map { .string($0.description) } ?? .null,
    ]
    return AuditEntry(action: action, subjectType: "entitlement", subjectID: name, detail: JSON(detail))
  }
}
