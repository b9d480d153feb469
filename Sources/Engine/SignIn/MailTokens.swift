internal import Domain
package import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// Verifies addresses and resets passwords with codes that are sent by mail.
package struct MailTokens: Sendable {
  /// The purpose of a code.
  package enum Purpose: String, Sendable, CaseIterable {
    /// To verify the address of an account.
    case verify
    /// To choose a new password.
    case reset
  }

  private let services: Services
  private let passwords: PasswordSignIn

  /// - Parameter hasher: hashes new passwords; share one per process.
  package init(_ services: Services, hasher: PasswordHasher) {
    self.services = services
    passwords = PasswordSignIn(services, hasher: hasher)
  }

  /// Requests a mail with a code, at most five per address and hour.
  ///
  /// The outcome and the work are the same for an address without an account, after too many requests, and for a
  /// verified address: only the job finds out whether a mail has to be sent.
  ///
  /// - Throws: `invalid_email`.
  package func request(_ purpose: Purpose, email: String, requestID: UUID? = nil) async throws {
    let address = try EmailAddress(parsing: email)
    let ids = (request: services.ids.next(), job: services.ids.next())
    let trace = requestID?.uuidString.lowercased()
    try await services.database.transaction(.inside(MailJob.accounts)) { tx in
      let id = try tx.value(
        "select core.request_mail(\(ids.request), \(purpose.rawValue), \(address.key))",
        as: UUID?.self
      )
      guard let id else { return }
      let letter: MailJob.Letter = purpose == .verify ? .verify : .reset
      let job = try MailJob(letter, id).job(id: ids.job)
      try JobOutbox.write([job], company: MailJob.accounts, traceID: trace, tx)
    }
  }

  /// Requests a mail that verifies the address of a signed-in person.
  ///
  /// - Throws: `forbidden` for an actor that is not a person, or the error of the credential.
  package func requestVerification(_ acting: ActingContext) async throws {
    let company = acting.company.id
    let email = try await CompanyAdministration(services).read(acting, permission: nil) { tx, _ in
      guard let user = acting.user else {
        throw DomainError(.forbidden, "an operator has no address", hint: "use `fettle mail verify`")
      }
      let email = try tx.first(
        """
        select u.email from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company) and m.user_id = \(user) and u.kind = 'person'
        """,
        String.self
      )
      guard let email else {
        throw DomainError(.forbidden, "only people have an address", hint: "sign up first")
      }
      return email
    }
    try await request(.verify, email: email, requestID: acting.requestID)
  }

  /// Verifies the address of a signed-in person who got a code.
  ///
  /// The person must be signed in. Otherwise the recipient of a mail could verify the address for an account that
  /// somebody else has made with it.
  ///
  /// - Throws: `link_expired` for a code that is mistyped, unknown, used, expired, or of another account; the error of the
  ///   credential.
  package func verify(_ code: String, _ acting: ActingContext) async throws {
    guard let user = acting.user else { throw DomainError(.forbidden, "only people have an address") }
    try await CompanyAdministration(services).read(acting, permission: nil) { _, _ in }
    let token = try Self.token(code)
    _ = try await change(
      "select core.verify_address(\(token.id), \(token.hash))",
      of: user,
      action: "address.verified",
      acting.requestID
    )
  }

  /// Sets a new password for the person who got a code, verifies the address, and ends all of the person's
  /// sessions. If the address was not verified before, API tokens, identities and the second factor end too: somebody
  /// else may have made the account with it.
  ///
  /// - Returns: the person.
  /// - Throws: `invalid_password`; `link_expired` for a code that is mistyped, unknown, used or expired;
  ///   `unavailable` if too many passwords are being hashed.
  @discardableResult
  package func reset(_ code: String, password: String, requestID: UUID? = nil) async throws -> UUID {
    let token = try Self.token(code)
    try passwords.check(password, context: [])
    // Checked first, so that nobody without a code can make the process hash passwords.
    let isUsable = try await services.database.transaction { tx in
      try tx.value("select core.has_mail_token(\(token.id), \(token.hash), 'reset')", as: Bool.self)
    }
    guard isUsable else { throw DomainError(.linkExpired) }
    try passwords.check(password, context: try await context(of: token.user))
    let hash = try await passwords.hashed(password)
    return try await change(
      "select core.reset_password(\(token.id), \(token.hash), \(hash))",
      action: "password.reset",
      endsSessions: true,
      requestID
    )
  }

  /// Returns the texts about a person that are no secret.
  private func context(of user: UUID) async throws -> [String] {
    try await services.database.transaction(.of(user)) { tx in
      let own = try tx.first(
        "select u.email, u.name from core.app_user u where u.id = \(user)",
        String.self,
        String.self
      )
      let names = own.map { [$0.0, $0.1] } ?? []
      return names + (try SessionStore.companies(tx)).flatMap { [$0.name, $0.slug] }
    }
  }

  /// Runs the entry function that uses a code, and writes an audit entry in the system company.
  ///
  /// - Parameter expected: the person whose code it must be; nil for any.
  private func change(
    _ statement: SQL,
    of expected: UUID? = nil,
    action: String,
    endsSessions: Bool = false,
    _ requestID: UUID?
  ) async throws -> UUID {
    let ids = (entry: services.ids.next(), request: requestID ?? services.ids.next())
    return try await services.database.transaction(.inside(MailJob.accounts)) { tx in
      guard let row = try tx.first(statement, UUID?.self), let user = row,
        expected == nil || expected == user
      else { throw DomainError(.linkExpired) }
      if endsSessions {
        try tx.execute("select core.end_sessions(\(user), 'password_changed')")
      }
      let context = WorkContext(
        company: MailJob.accounts,
        actor: .member(user),
        user: user,
        requestID: ids.request
      )
      let entry = AuditEntry(action: action, subjectType: "member", subjectID: user.text)
      try tx.execute(AuditWriter.insert(entry, id: ids.entry, context: context))
      return user
    }
  }

  private static func token(_ code: String) throws(DomainError) -> MailToken {
    do {
      return try MailToken.parse(code.trimmingSpaces())
    } catch {
      throw DomainError(.linkExpired, error.message, hint: "copy the whole code, or request a new mail")
    }
  }
}
