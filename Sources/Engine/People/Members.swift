package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The use cases of a company's members.
package struct Members: Sendable {
  let services: Services
  let administration: CompanyAdministration
  let contexts: ActingContexts

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
    contexts = ActingContexts(services)
  }

  /// Returns the members, by name. Requires `member.read`.
  ///
  /// - Parameter search: a part of the name or the email address, ignoring case; nil for all members.
  package func list(
    _ acting: ActingContext,
    includingRemoved: Bool = false,
    search: String? = nil
  ) async throws -> [MemberRow] {
    try await administration.read(acting, permission: "member.read") { tx, _ in
      try MemberStore.all(
        company: acting.company.id,
        includingRemoved: includingRemoved,
        search: search,
        tx
      )
    }
  }

  /// Returns one member, removed ones included. Requires `member.read`.
  ///
  /// - Throws: `not_found`.
  package func show(_ acting: ActingContext, user: UUID) async throws -> MemberRow {
    try await administration.read(acting, permission: "member.read") { tx, _ in
      let all = try MemberStore.all(company: acting.company.id, includingRemoved: true, tx)
      guard let row = all.first(where: { $0.userID == user }) else { throw Self.missing }
      return row
    }
  }

  /// The error for an id that names no member of the company.
  static var missing: DomainError { DomainError(.notFound, "there is no such member") }

  /// Adds a person as a member without an invite code. Requires `invite.create`.
  ///
  /// Only operators add people whom the company does not know: the account of a typed address may be
  /// anybody's. Members add those who were members before, and invite all others.
  ///
  /// - Throws: `grant_exceeds_own`, `unknown_role`, `already_exists` if the person is a member; `forbidden`
  ///   for a member who adds a stranger.
  package func add(_ acting: ActingContext, email: String, name: String, role: String) async throws
    -> MemberRow
  {
    let person = try Person(email: email, name: name, newID: services.ids.next())
    return try await administration.administer(acting, permission: "invite.create") { tx, rights in
      try rights.mayGrant(role: role, in: acting.company, tx)
      let isVouched = try rights.isUnrestricted || isKnown(person, in: acting.company, tx)
      let kind = role == BuiltInRole.service.rawValue ? "service" : "person"
      guard isVouched, let user = try person.account(kind: kind, provenBy: .operator, tx) else {
        throw DomainError(
          .forbidden,
          "only an operator adds people without an invite",
          hint: "invite the person with `fettle invite create`"
        )
      }
      guard
        try MemberStore.insert(
          company: acting.company.id,
          user: user,
          role: role,
          invitedBy: acting.user,
          tx
        ),
        let member = try MemberStore.lock(company: acting.company.id, user: user, tx)
      else {
        throw DomainError(
          .alreadyExists,
          "\(person.email) is a member of \(acting.company.slug) already",
          hint: "change the role with `fettle member role`"
        )
      }
      return (member, [Self.audit("member.added", user, ["role": .string(role)])])
    }
  }

  /// True if the person is or was a member of the company.
  private func isKnown(_ person: Person, in company: CompanyRow, _ tx: Transaction) throws -> Bool {
    guard let user = try MemberStore.user(email: person.email.key, tx) else { return false }
    return try MemberStore.lock(company: company.id, user: user.id, tx) != nil
  }

  /// Changes the role of another member. Requires `member.update`.
  ///
  /// - Throws: `last_owner` if no active owner would remain, `forbidden` for the actor's own role,
  ///   `grant_exceeds_own`, `member_outranks`, `wrong_state` for a removed member.
  @discardableResult
  package func setRole(_ acting: ActingContext, member handle: String, role: String) async throws -> MemberRow
  {
    try await setRole(acting, user: try await contexts.member(handle, of: acting.company).userID, role: role)
  }

  /// Changes the role of another member, named by id. Requires `member.update`.
  ///
  /// - Throws: `not_found`, and as ``setRole(_:member:role:)``.
  @discardableResult
  package func setRole(_ acting: ActingContext, user: UUID, role: String) async throws -> MemberRow {
    try await administration.administer(acting, permission: "member.update") { tx, rights in
      guard user != acting.user else {
        throw DomainError(.forbidden, "members cannot change their own roles", hint: "ask an administrator")
      }
      let (row, member) = try lock(user, acting, rights, tx)
      guard member.status != .removed else { throw Self.gone(row, acting) }
      try rights.mayGrant(role: role, in: acting.company, tx)
      guard role != row.role else { return (row, []) }
      let after = Member(user: member.user, role: role, status: member.status)
      try OwnerRule.require(after: [after], named: row.name, in: acting.company, tx)
      try MemberStore.setRole(role, company: acting.company.id, user: row.userID, tx)
      let detail: JSONObject = ["from": .string(row.role), "to": .string(role)]
      return (try read(row, acting, tx), [Self.audit("member.role_changed", row.userID, detail)])
    }
  }

  /// Suspends, reinstates or removes a member. Unless reinstated, their tokens are revoked in the same
  /// transaction (rule R7).
  ///
  /// Removing oneself requires no permission.
  ///
  /// - Throws: `last_owner` if no active owner would remain, `wrong_state` if the member has this status or
  ///   was removed, `forbidden`, `member_outranks`.
  @discardableResult
  package func setStatus(_ acting: ActingContext, member handle: String, status: MemberStatus) async throws
    -> MemberRow
  {
    let user = try await contexts.member(handle, of: acting.company).userID
    return try await setStatus(acting, user: user, status: status)
  }

  /// Suspends, reinstates or removes a member, named by id.
  ///
  /// - Throws: `not_found`, and as ``setStatus(_:member:status:)``.
  @discardableResult
  package func setStatus(_ acting: ActingContext, user: UUID, status: MemberStatus) async throws -> MemberRow
  {
    // A token may leave for its owner only within its scopes.
    let isLeaving = status == .removed && user == acting.user && acting.scopes == nil
    let permission = status == .removed ? "member.remove" : "member.suspend"
    return try await administration.administer(acting, permission: isLeaving ? nil : permission) {
      tx,
      rights in
      let (row, member) = try lock(user, acting, rights, tx)
      guard member.status != status else {
        throw DomainError(.wrongState, "\(row.name) is \(status.rawValue) already")
      }
      guard member.status.next.contains(status) else { throw Self.gone(row, acting) }
      let after = Member(user: member.user, role: member.role, status: status)
      try OwnerRule.require(after: [after], named: row.name, in: acting.company, tx)
      try MemberStore.setStatus(status, company: acting.company.id, user: row.userID, tx)
      if status != .active { try TokenStore.revokeAll(company: acting.company.id, user: row.userID, tx) }
      let action = status == .active ? "reinstated" : status.rawValue
      let detail: JSONObject = ["from": .string(row.status.rawValue), "to": .string(status.rawValue)]
      return (try read(row, acting, tx), [Self.audit("member.\(action)", row.userID, detail)])
    }
  }

  /// Returns the locked member. The caller holds the company's lock.
  ///
  /// - Throws: `not_found`, or `member_outranks` if the actor may not change the member.
  func lock(
    _ user: UUID,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> (MemberRow, Member) {
    guard let row = try MemberStore.lock(company: acting.company.id, user: user, tx) else {
      throw Self.missing
    }
    try rights.mayChange(row, in: acting.company, tx)
    return (row, Member(user: row.userID, role: row.role, status: row.status))
  }

  func read(_ member: MemberRow, _ acting: ActingContext, _ tx: Transaction) throws -> MemberRow {
    guard let row = try MemberStore.lock(company: acting.company.id, user: member.userID, tx) else {
      throw DomainError(.internal)
    }
    return row
  }

  static func gone(_ member: MemberRow, _ acting: ActingContext) -> DomainError {
    DomainError(
      .wrongState,
      "\(member.name) has been removed from \(acting.company.slug)",
      hint: "add the person with `fettle member add \(member.email)` or a new invite"
    )
  }

  static func audit(_ action: String, _ user: UUID, _ detail: JSONObject) -> AuditEntry {
    AuditEntry(action: action, subjectType: "member", subjectID: user.text, detail: JSON(detail))
  }
}
