internal import Domain
internal import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// Signs people in with their e-mail address and password, and changes passwords.
///
/// An unknown address, a wrong password, an account without a password and a disabled account are refused alike:
/// with the same error, after the same work.
package struct PasswordSignIn: Sendable {
  private let services: Services
  private let hasher: PasswordHasher

  /// - Parameter hasher: the process-wide pool of the expensive hashes.
  package init(_ services: Services, hasher: PasswordHasher) {
    self.services = services
    self.hasher = hasher
  }

  /// Signs a person in.
  ///
  /// - Throws: `sign_in_refused`, `unavailable` if too many passwords are being checked, and the errors of
  ///   ``SignInCompletion/complete(user:proof:request:)``.
  package func signIn(email: String, password: String, request: SignInRequest) async throws -> SignInResult {
    let key = (try? EmailAddress(parsing: email))?.key ?? ""  // no account has a malformed address
    guard let user = try await verified(key, password) else {
      await SignInAudit(services: services).refused(.address(key), client: request.client, method: .password)
      throw DomainError(.signInRefused)
    }
    return try await SignInCompletion(services).complete(user: user, proof: .password, request: request)
  }

  /// Changes the password of the acting person, and ends all of their other sessions in every company.
  ///
  /// - Throws: `sign_in_refused` if the current password is wrong, `invalid_password` for an unacceptable new one,
  ///   `unavailable`.
  package func change(_ acting: ActingContext, current: String, new: String) async throws {
    guard let user = acting.user else { throw DomainError(.unauthenticated) }
    let administration = CompanyAdministration(services)
    let own = try await administration.read(acting, permission: nil) { tx, _ in
      try tx.first(
        "select u.email_key, u.name from core.app_user u where u.id = \(user)",
        String.self,
        String.self
      )
    }
    guard let (email, name) = own else { throw DomainError(.unauthenticated) }
    try check(new, context: [email, name, acting.company.name, acting.company.slug])
    var setting = try await setting(email)
    var old = try await hash(current, under: setting)
    let fresh = try await hashed(new)
    while !(try await replace(old, of: email, by: fresh, user, acting)) {
      let now = try await self.setting(email)
      // A sign-in may have strengthened the hash since its setting was read.
      guard now != setting else {
        throw DomainError(
          .signInRefused,
          "the current password is wrong",
          hint: "check it, or reset the password"
        )
      }
      setting = now
      old = try await hash(current, under: now)
    }
  }

  /// Replaces the hash of a person's password, and ends the person's other sessions.
  ///
  /// - Returns: false if the old hash is another one.
  private func replace(
    _ old: String?,
    of email: String,
    by new: String,
    _ user: UUID,
    _ acting: ActingContext
  ) async throws -> Bool {
    let kept: UUID? = if case .session(let id, _) = acting.credential { id } else { nil }
    let requestID = services.ids.next()
    let auditID = services.ids.next()
    return try await services.denials.watching(acting.context(requestID: requestID)) {
      try await services.database.transaction(.inside(acting.company.id, user: user)) { tx in
        _ = try Rights.read(acting, requestID: requestID, tx)
        let isChanged = try tx.value(
          "select core.change_password_hash(\(email), \(old ?? ""), \(new))",
          as: Bool.self
        )
        guard isChanged else { return false }
        let ended = try SessionStore.end(of: user, except: kept, because: "password_changed", tx)
        let entry = AuditEntry(
          action: "member.password_changed",
          subjectType: "member",
          subjectID: user.text,
          detail: JSON(["sessions_ended": .integer(ended)] as JSONObject)
        )
        try AuditWriter.commit([(auditID, entry)], context: acting.context(requestID: requestID), tx)
        return true
      }
    }
  }

  /// Returns the hash of a new password.
  ///
  /// - Throws: `invalid_password` for an unacceptable password, `unavailable` if the pool is busy.
  package func hashed(_ password: String) async throws -> String {
    do {
      return try await hasher.hash(password)
    } catch {
      throw Self.error(error)
    }
  }

  /// Requires that a new password is acceptable.
  ///
  /// - Parameter context: names and addresses of the person and the companies, which others know.
  /// - Throws: `invalid_password`.
  package func check(_ password: String, context: [String]) throws {
    do {
      try hasher.checkNew(password, context: context)
    } catch {
      throw Self.error(error)
    }
  }

  /// Returns the user with an address and a password; nil if they do not match.
  private func verified(_ key: String, _ password: String) async throws -> UUID? {
    var setting = try await setting(key)
    while true {
      let computed = try await hash(password, under: setting)
      let user = try await services.database.transaction { tx in
        try tx.value("select l.user_id from core.login(\(key), \(computed ?? "")) l", as: UUID?.self)
      }
      if let user {
        if let computed, hasher.needsRehash(computed) { await strengthen(key, password, from: computed) }
        return user
      }
      // Another sign-in may have replaced the hash since its setting was read.
      let current = try await self.setting(key)
      guard current != setting else { return nil }
      setting = current
    }
  }

  /// Replaces a hash of a lower cost. The old one stays if that fails.
  private func strengthen(_ key: String, _ password: String, from old: String) async {
    guard let new = try? await hasher.hash(password) else { return }  // busy: at a later sign-in
    // The next sign-in repeats a failed replacement.
    _ = try? await services.database.execute("select core.change_password_hash(\(key), \(old), \(new))")
  }

  private func setting(_ key: String) async throws -> String? {
    try await services.database.transaction { tx in
      try tx.value("select core.login_setting(\(key))", as: String?.self)
    }
  }

  private func hash(_ password: String, under setting: String?) async throws -> String? {
    do {
      return try await hasher.hash(password, under: setting)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ error: SecretsError) -> DomainError {
    switch error.kind {
    case .busy:
      DomainError(.unavailable, "too many passwords are being checked", hint: "try again in a few seconds")
    case .unacceptablePassword: DomainError(.invalidPassword, error.message, hint: error.hint)
    default: DomainError(.internal, error.message)
    }
  }
}
