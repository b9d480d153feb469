internal import Domain
package import FoundationEssentials
package import Postgres
internal import Secrets
package import Store

/// Inviting people with codes, and coming in by one.
package struct Invites: Sendable {
  /// A code as it is shown, once.
  package struct Issued: Sendable {
    package let id: UUID
    package let code: String
    package let expiresAt: Timestamp
  }

  /// Who came in, where, as what.
  package struct Redeemed: Sendable, Codable {
    package let company: String
    package let user: UUID
    package let role: String
  }

  private let services: Services
  private let office: Office

  package init(_ services: Services) {
    self.services = services
    office = Office(services)
  }

  /// The company's invites, newest first; never a code.
  package func list(_ seat: Seat) async throws -> [InviteRow] {
    try await office.look(seat, permission: "invite.read") { tx, _ in
      try InviteStore.all(company: seat.company.id, tx)
    }
  }

  /// Makes a code that lets its bearer join with a role.
  ///
  /// - Parameters:
  ///   - uses: how many people may come in by it, 1 to 10,000.
  ///   - days: for how long it holds, 1 to 365.
  ///   - email: bind it to one address.
  /// - Throws: `grant_exceeds_own` when the role may do something the inviter may not.
  package func create(
    _ seat: Seat, role: String, uses: Int = Invite.defaultUses, days: Int = Int(Invite.defaultLifetime / 86_400_000_000),
    email: String? = nil
  ) async throws -> Issued {
    guard (1...10_000).contains(uses) else { throw DomainError(.invalidInput, "an invite has 1 to 10000 uses") }
    guard (1...365).contains(days) else { throw DomainError(.invalidInput, "an invite holds for 1 to 365 days") }
    let address = try email.map { try EmailAddress(parsing: $0) }
    let code = try InviteCode(random: SecureRandom.bytes(8))
    let hmac = hmac(of: code, try services.keys())
    let id = services.ids.next()
    return try await office.administer(seat, permission: "invite.create") { tx, rights in
      try rights.mayGrant(role: role, in: seat.company.id, tx)
      let now = try tx.value("select now()", as: Timestamp.self)
      let expiry = Timestamp(microseconds: now.microseconds + Int64(days) * 86_400_000_000)
      try InviteStore.insert(
        id: id, company: seat.company.id, role: role, codeHMAC: hmac, hint: code.hint, email: address?.key,
        maxUses: uses, expiresAt: expiry, createdBy: seat.user, tx)
      let detail: JSONObject = ["role": .string(role), "uses": .integer(uses), "hint": .string(code.hint)]
      return (
        Issued(id: id, code: code.grouped, expiresAt: expiry),
        [AuditEntry(action: "invite.created", subjectType: "invite", subjectID: id.text, detail: JSON(detail))]
      )
    }
  }

  /// Ends an invite.
  package func revoke(_ seat: Seat, invite: UUID) async throws {
    try await office.administer(seat, permission: "invite.revoke") { tx, _ in
      guard try InviteStore.revoke(company: seat.company.id, invite: invite, tx) else {
        throw DomainError(.notFound, "there is no such invite, or it has ended already")
      }
      return ((), [AuditEntry(action: "invite.revoked", subjectType: "invite", subjectID: invite.text)])
    }
  }

  /// Joins a company by a code: the use is taken, the granter's right is checked again, the person and the
  /// membership are made, in one transaction or not at all.
  ///
  /// - Parameter source: from where the attempt came, for throttling.
  /// - Throws: `invite_refused` for every failure alike, so that a guesser learns nothing.
  package func redeem(code text: String, email: String, name: String, source: String) async throws -> Redeemed {
    let address = try EmailAddress(parsing: email)
    let displayName = try DisplayName(parsing: name)
    let code = try InviteCode(parsing: text)
    try await refuseIfThrottled(source: source, account: address.key)
    do {
      return try await redeem(code, address, displayName)
    } catch let error as DomainError where error.code == .inviteRefused {
      try await countFailure(source: source, account: address.key)
      throw error
    }
  }

  private func redeem(_ code: InviteCode, _ email: EmailAddress, _ name: DisplayName) async throws -> Redeemed {
    let hmac = hmac(of: code, try services.keys())
    let located = try await services.database.transaction { tx in try InviteStore.locate(codeHMAC: hmac, tx) }
    guard let located else { throw DomainError(.inviteRefused) }
    let newUser = services.ids.next()
    let auditID = services.ids.next()
    let requestID = services.ids.next()
    return try await services.database.transaction(.inside(located.company)) { tx in
      guard let company = try CompanyStore.lock(id: located.company, tx), company.status == "active",
        let invite = try InviteStore.use(company: company.id, invite: located.invite, email: email.key, tx)
      else { throw DomainError(.inviteRefused) }
      guard try GranterCheck.stillMayGrant(invite.role, granter: invite.createdBy, company: company.id, tx) else {
        throw DomainError(.inviteRefused)
      }
      let known = try MemberStore.user(email: email.key, tx)
      let user = known?.id ?? newUser
      if known == nil {
        try MemberStore.insertUser(id: user, email: email.text, name: name.text, kind: "person", tx)
      }
      guard
        try MemberStore.insert(
          company: company.id, user: user, role: invite.role, invitedBy: invite.createdBy, tx)
      else {
        throw DomainError(
          .alreadyExists, "\(email.text) is a member of \(company.slug) already",
          hint: "the code was not used; give it to somebody else")
      }
      try InviteStore.recordRedemption(company: company.id, invite: invite.id, user: user, tx)
      let context = WorkContext(
        company: company.id, actor: .member(user), user: user,
        requestID: requestID)
      let entry = AuditEntry(
        action: "member.joined", subjectType: "member", subjectID: user.text,
        detail: JSON(["role": .string(invite.role), "invite": .string(invite.id.text)] as JSONObject))
      try tx.execute(AuditWriter.insert(entry, id: auditID, context: context))
      return Redeemed(company: company.slug, user: user, role: invite.role)
    }
  }

  private func refuseIfThrottled(source: String, account: String) async throws {
    let failures = try await services.database.transaction { tx in
      try InviteStore.recentFailures(source: source, account: account, tx)
    }
    guard failures.source < 20, failures.account < 10, failures.all < 1_000 else {
      throw DomainError(.inviteRefused, "too many attempts", hint: "wait a quarter of an hour")
    }
  }

  private func countFailure(source: String, account: String) async throws {
    let id = services.ids.next()
    try await services.database.transaction { tx in
      try InviteStore.recordFailure(id: id, source: source, account: account, tx)
    }
  }

  private func hmac(of code: InviteCode, _ keys: Keys) -> [UInt8] {
    HMACSHA256.code(for: code.normalized.utf8, key: keys.current(.pepper).bytes)
  }
}
