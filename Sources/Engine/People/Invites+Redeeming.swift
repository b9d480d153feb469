internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

extension Invites {
  /// The new member, with the company and the role.
  package struct Redeemed: Sendable, Codable {
    package let company: String
    package let companyID: UUID
    package let user: UUID
    package let email: String
    package let role: String
  }

  /// Joins a company by an invite code. One transaction takes a use, checks the rights of the invite's
  /// creator again, and creates the account, if there is none, and the membership.
  ///
  /// A well-formed code that cannot be used always fails with `invite_refused`, so that guessing reveals
  /// nothing. Only the bearer of a valid code gets `already_exists`, because they could see the member in the
  /// company anyway. Attempts are throttled by source, by email address and in total.
  ///
  /// A typed address proves nothing: without a proof, the code creates a new account, and an address that has
  /// one already is refused like a wrong code.
  ///
  /// - Parameters:
  ///   - source: the origin of the request, such as an IP address, for throttling.
  ///   - proof: the proof that the address is the bearer's.
  /// - Throws: also `invalid_invite_code` for a malformed code, and an error for an invalid email address or
  ///   name.
  package func redeem(
    code text: String,
    email: String,
    name: String,
    source: String,
    proof: AddressProof = .none
  ) async throws -> Redeemed {
    let person = try Person(email: email, name: name, newID: services.ids.next())
    let code = try InviteCode(parsing: text)
    try await refuseIfThrottled(source: source, account: person.email.key)
    do {
      return try await redeem(code, person, proof)
    } catch let error as DomainError where error.code == .inviteRefused {
      try await countFailure(source: source, account: person.email.key)
      throw error
    }
  }

  /// The company and the invite that a code belongs to.
  struct Located: Sendable {
    let company: UUID
    let invite: UUID
  }

  private func redeem(_ code: InviteCode, _ person: Person, _ proof: AddressProof) async throws -> Redeemed {
    guard let located = try await locate(code) else { throw DomainError(.inviteRefused) }
    let auditID = services.ids.next()
    let requestID = services.ids.next()
    var options = TransactionOptions.inside(located.company)
    options.resolvesLostCommit = true
    return try await services.database.transaction(options) { tx in
      let (invite, company) = try take(located, person, requestID: requestID, tx)
      guard let user = try person.account(provenBy: proof, tx) else { throw DomainError(.inviteRefused) }
      let entry = try admit(user, person, to: company, by: invite, tx)
      let context = WorkContext(
        company: company.id,
        actor: .member(user),
        user: user,
        requestID: requestID
      )
      try AuditWriter.commit([(auditID, entry)], context: context, tx)
      return Redeemed(
        company: company.slug,
        companyID: company.id,
        user: user,
        email: person.email.text,
        role: invite.role
      )
    }
  }

  /// Takes one use of an invite, under the lock of its company.
  ///
  /// - Throws: `invite_refused` if it cannot be used, or if its creator may not grant its role any more.
  func take(
    _ located: Located,
    _ person: Person,
    requestID: UUID,
    _ tx: Transaction
  ) throws -> (invite: InviteRow, company: CompanyRow) {
    guard let company = try CompanyStore.lock(id: located.company, tx),
      company.status.permits(.write),
      let invite = try InviteStore.use(
        company: company.id,
        invite: located.invite,
        email: person.email.key,
        tx
      ),
      try granterStillMay(invite, in: company, requestID: requestID, tx)
    else { throw DomainError(.inviteRefused) }
    return (invite, company)
  }

  /// Makes a user a member by an invite that was taken, and returns the audit entry.
  ///
  /// - Throws: `already_exists` for a member, `invite_refused` for a member who was removed after the invite was
  ///   created.
  func admit(
    _ user: UUID,
    _ person: Person,
    to company: CompanyRow,
    by invite: InviteRow,
    _ tx: Transaction
  ) throws -> AuditEntry {
    if let left = try Self.whenRemoved(user, from: company, tx), left > invite.createdAt {
      throw DomainError(.inviteRefused)  // an invite created before the removal does not readmit the member
    }
    guard
      try MemberStore.insert(
        company: company.id,
        user: user,
        role: invite.role,
        invitedBy: invite.createdBy,
        tx
      )
    else {
      throw DomainError(
        .alreadyExists,
        "\(person.email) is a member of \(company.slug) already",
        hint: "give the code to somebody else; it was not used"
      )
    }
    try tx.execute(
      """
      insert into core.invite_redemption (company_id, invite_id, user_id, redeemed_at)
      values (\(company.id), \(invite.id), \(user), now())
      """
    )
    return AuditEntry(
      action: "member.joined",
      subjectType: "member",
      subjectID: user.text,
      detail: JSON(["role": .string(invite.role), "invite": .string(invite.id.text)] as JSONObject)
    )
  }

  /// Returns the company and the invite of a code. Codes created before a rotation of the pepper remain
  /// valid.
  func locate(_ code: InviteCode) async throws -> Located? {
    let hmacs = try services.keys().all(.pepper).reversed().map { Self.hmac(of: code, key: $0) }
    return try await services.database.transaction { tx in
      for hmac in hmacs {
        if let (company, invite) = try tx.first(
          "select company_id, invite_id from core.invite_locate(\(hmac))",
          UUID.self,
          UUID.self
        ) {
          return Located(company: company, invite: invite)
        }
      }
      return nil
    }
  }

  /// True if the creator of the invite still holds `invite.create` and the role's permissions (rule R1), or
  /// was an operator.
  private func granterStillMay(
    _ invite: InviteRow,
    in company: CompanyRow,
    requestID: UUID,
    _ tx: Transaction
  ) throws -> Bool {
    guard let granter = invite.createdBy else { return true }  // created by an operator
    let acting = ActingContext(company: company, actor: .member(granter), user: granter)
    do {
      let rights = try Rights.read(acting, requestID: requestID, tx)
      try rights.require("invite.create", for: .write)
      try rights.mayGrant(role: invite.role, in: company, tx)
      return true
    } catch is DomainError {
      return false
    }
  }

  private static func whenRemoved(_ user: UUID, from company: CompanyRow, _ tx: Transaction) throws
    -> Instant?
  {
    try tx.value(
      """
      select m.updated_at from core.membership m
      where m.company_id = \(company.id) and m.user_id = \(user) and m.status = 'removed'
      """,
      as: Instant?.self
    )
  }

  func refuseIfThrottled(source: String, account: String) async throws {
    let failures = try await services.database.transaction { tx in
      try InviteStore.recentFailures(source: source, account: account, tx)
    }
    guard failures.source < 20, failures.account < 10, failures.all < 1_000 else {
      throw DomainError(.inviteRefused, "too many attempts", hint: "wait 15 minutes")
    }
  }

  /// Records a failure in a separate transaction, because the refused one is rolled back.
  func countFailure(source: String, account: String) async throws {
    let id = services.ids.next()
    try await services.database.transaction { tx in
      try tx.execute("select core.record_invite_failure(\(id), \(source), \(account))")
    }
  }
}
