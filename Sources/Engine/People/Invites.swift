package import Domain
package import FoundationEssentials
internal import Postgres
package import Secrets
package import Store

/// Creates, lists and revokes invite codes.
package struct Invites: Sendable {
  /// A new invite with its code, which is shown only once.
  package struct Issued: Sendable {
    package let id: UUID
    package let code: String
    package let expiresAt: Instant
  }

  /// An invite and the current state of its code.
  package struct Listed: Sendable {
    package let invite: InviteRow
    /// `active`, `exhausted`, `expired` or `revoked`.
    package let state: String
    /// The email address of the creator; nil for an operator.
    package let inviter: String?
  }

  let services: Services
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    self.services = services
    administration = CompanyAdministration(services)
  }

  /// Returns the company's invites, newest first, without their codes. Requires `invite.read`.
  package func list(_ acting: ActingContext) async throws -> [Listed] {
    try await administration.read(acting, permission: "invite.read") { tx, rights in
      let members = try MemberStore.all(company: acting.company.id, includingRemoved: true, tx)
      let emails = Dictionary(members.map { ($0.userID, $0.email) }, uniquingKeysWith: { first, _ in first })
      let now = rights.access.now
      return try InviteStore.all(company: acting.company.id, tx).map { row in
        Listed(invite: row, state: row.state(at: now).rawValue, inviter: row.createdBy.flatMap { emails[$0] })
      }
    }
  }

  /// Creates an invite code that lets its bearer join with a role. Requires `invite.create`.
  ///
  /// - Parameters:
  ///   - uses: the number of people who can use the code, 1 to 1,000.
  ///   - days: the validity in days, 1 to 365.
  ///   - email: the only address that can use the code; nil for any.
  ///   - isMailed: true to mail another code of the invite to that address.
  /// - Throws: `grant_exceeds_own` if the role has permissions that the inviter lacks, `unknown_role`,
  ///   `invalid_input`.
  package func create(
    _ acting: ActingContext,
    role: String,
    uses: Int = 1,
    days: Int = 14,
    email: String? = nil,
    isMailed: Bool = false
  ) async throws -> Issued {
    guard email != nil || !isMailed else {
      throw DomainError(
        .invalidInput,
        "an invite is mailed to the address that can use it",
        hint: "name the address"
      )
    }
    guard (1...365).contains(days) else {
      throw DomainError(.invalidInput, "an invite is valid for 1 to 365 days, not \(days)")
    }
    let address = try email.map { try EmailAddress(parsing: $0) }
    let code = try InviteCode(random: SecureRandom.bytes(8))
    let hmac = Self.hmac(of: code, key: try services.keys().current(.pepper))
    let (id, job) = (services.ids.next(), services.ids.next())
    return try await administration.administer(acting, permission: "invite.create") { tx, rights in
      let role = try Role.stored(role, in: acting.company, tx)
      let invite = try Invite.issue(
        role: role,
        by: rights.authority(over: role.permissions),
        at: rights.access.now,
        uses: uses,
        lifetime: Int64(days) * 86_400_000_000,
        email: address
      )
      try InviteStore.insert(
        id: id,
        company: acting.company.id,
        role: invite.role,
        codeHMAC: hmac,
        hint: code.hint,
        email: invite.email?.key,
        maxUses: invite.maximumUses,
        expiresAt: invite.expires,
        createdBy: acting.user,
        tx
      )
      if isMailed {
        let job = try MailJob(.invite, id).job(id: job)
        try JobOutbox.write([job], company: acting.company.id, traceID: acting.requestID?.text, tx)
      }
      let detail: JSONObject = [
        "role": .string(invite.role), "uses": .integer(uses), "hint": .string(code.hint),
      ]
      return (
        Issued(id: id, code: code.grouped, expiresAt: invite.expires),
        [
          AuditEntry(
            action: "invite.created",
            subjectType: "invite",
            subjectID: id.text,
            detail: JSON(detail)
          )
        ]
      )
    }
  }

  /// Revokes an invite. Requires `invite.revoke`.
  ///
  /// - Parameter name: the invite's id, the beginning of its id, or the end of its code as shown in lists.
  /// - Throws: `not_found`, `invalid_input` if several match, `wrong_state` if the invite is not active.
  @discardableResult
  package func revoke(_ acting: ActingContext, invite name: String) async throws -> InviteRow {
    try await administration.administer(acting, permission: "invite.revoke") { tx, rights in
      let invites = try InviteStore.all(company: acting.company.id, tx)
      let invite = try Shortened("invite", name, list: "fettle invite list --company \(acting.company.slug)")
        .find(in: invites, id: \.id, called: \.hint)
      return try revoke(invite, acting, rights, tx)
    }
  }

  /// Revokes an invite, named by id. Requires `invite.revoke`.
  ///
  /// - Throws: `not_found`, `wrong_state` if the invite is not active.
  @discardableResult
  package func revoke(_ acting: ActingContext, id: UUID) async throws -> InviteRow {
    try await administration.administer(acting, permission: "invite.revoke") { tx, rights in
      guard let invite = try InviteStore.all(company: acting.company.id, tx).first(where: { $0.id == id })
      else { throw DomainError(.notFound, "there is no such invite") }
      return try revoke(invite, acting, rights, tx)
    }
  }

  private func revoke(
    _ invite: InviteRow,
    _ acting: ActingContext,
    _ rights: Rights,
    _ tx: Transaction
  ) throws -> (InviteRow, [AuditEntry]) {
    let state = invite.state(at: rights.access.now)
    guard state == .active, try InviteStore.revoke(company: acting.company.id, invite: invite.id, tx) else {
      throw DomainError(.wrongState, "the invite \(invite.hint) is \(state.rawValue) already")
    }
    let entry = AuditEntry(action: "invite.revoked", subjectType: "invite", subjectID: invite.id.text)
    return (invite, [entry])
  }

  /// Returns the form of a code that is stored.
  package static func hmac(of code: InviteCode, key: Keys.Version) -> [UInt8] {
    HMACSHA256.code(for: code.normalized.utf8, key: key.bytes)
  }
}

extension InviteRow {
  /// Returns the state of the code at a time.
  func state(at now: Instant) -> Invite.State {
    Invite(
      role: role,
      maximumUses: maxUses,
      uses: used,
      expires: expiresAt,
      revoked: revokedAt
    ).state(at: now)
  }
}
