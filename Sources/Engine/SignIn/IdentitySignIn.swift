package import Domain
package import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// Signs people in whom an identity provider has identified. At the first sign-in it creates their account.
package struct IdentitySignIn: Sendable {
  /// Tells the log of a sign-in that failed: the name of the provider, the error, and the id of the request.
  package typealias Report = @Sendable (_ provider: String, _ error: DomainError, _ request: UUID) -> Void

  private let services: Services
  private let hasher: PasswordHasher
  private let report: Report

  /// - Parameters:
  ///   - hasher: the process-wide pool of the expensive hashes.
  ///   - report: called with each failure; a person who was refused cannot say more than that.
  package init(_ services: Services, hasher: PasswordHasher, report: @escaping Report = { _, _, _ in }) {
    self.services = services
    self.hasher = hasher
    self.report = report
  }

  /// Runs a step that identifies a person before ``signIn(_:at:request:)``. Its refusal is audited, and every failure is
  /// reported.
  ///
  /// - Parameter provider: the name of the provider.
  package func identifying<Value>(
    _ client: SignInClient,
    at provider: String,
    _ step: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await step()
    } catch let error as DomainError {
      report(provider, error, client.requestID)
      if SignInAudit.isRefusal(error) { await audit(error, of: nil, at: provider, client) }
      throw error
    }
  }

  /// Signs a person in by an identity whose nonce was compared or used up. A refusal is audited and reported.
  ///
  /// An unknown person with a verified address gets an account: in the company of the invite code, else with the
  /// records of the visitor that they were, else with a personal company.
  ///
  /// - Throws: the errors of ``Identities/person(_:)``, ``SignInCompletion/complete(user:proof:request:)`` and
  ///   ``SignUp/signUp(_:in:client:alongside:)``.
  ///
  /// - Parameter provider: the name of the provider.
  package func signIn(
    _ identity: VerifiedIdentity,
    at provider: String,
    request: SignInRequest
  ) async throws -> SignInResult {
    do {
      switch try await Identities(services).person(identity) {
      case .known(let user, let isLinked):
        if isLinked { try await record(identity, of: user, request.client) }
        return try await SignInCompletion(services).complete(user: user, proof: .identity, request: request)
      case .stranger(let identity, let email):
        return .session(try await signUp(identity, email, request))
      }
    } catch let refused as RefusedIdentity {
      report(provider, refused.reason, request.client.requestID)
      await audit(refused.reason, of: refused.user, at: provider, request.client)
      throw refused.reason
    } catch let error as DomainError {
      report(provider, error, request.client.requestID)
      throw error
    }
  }

  private func audit(
    _ error: DomainError,
    of user: UUID?,
    at provider: String,
    _ client: SignInClient
  ) async {
    await SignInAudit(services: services).refused(
      .user(user),
      client: client,
      method: .identity,
      reason: SignInAudit.Reason(error, provider: provider)
    )
  }

  private func signUp(
    _ identity: VerifiedIdentity,
    _ email: EmailAddress,
    _ request: SignInRequest
  ) async throws -> OpenedSession {
    let name = identity.name?.text ?? String(email.text.prefix { $0 != "@" })
    // The cookie of an earlier session, which a browser sends by itself, is not that of a visitor.
    var visitor = request.visitor
    if let token = visitor, try await !Visitors(services).isVisitor(token) { visitor = nil }
    let place: SignUp.Place =
      if let code = request.code {
        .invite(code: code)
      } else if let visitor {
        .visitor(token: visitor)
      } else {
        .company(NewCompany(name: name, kind: .personal))
      }
    let id = services.ids.next()
    var opened = try await SignUp(services, hasher: hasher).signUp(
      SignUp.Account(email: email.text, name: name, password: nil, isVerified: true),
      in: place,
      client: request.client
    ) { tx, user in
      let linked = try IdentityStore.link(identity, to: user, id: id, tx)
      // A concurrent first sign-in has created the account.
      guard linked.user == user else { throw DomainError(.signInFirst) }
    }
    if request.code != nil, let visitor {
      let claimed = try await Visitors(services).claim(visitor, for: opened.user, client: request.client)
      opened.hasClaimed = claimed != nil
    }
    return opened
  }

  /// Writes the audit entry of an identity that was linked because of its address, in the companies of the person.
  private func record(_ identity: VerifiedIdentity, of user: UUID, _ client: SignInClient) async throws {
    let ids = services.ids
    try await services.database.transaction(.of(user, readOnly: false)) { tx in
      for company in try SessionStore.companies(tx) {
        try PersonStore.enter(company.id, tx)
        let context = WorkContext(
          company: company.id,
          actor: .member(user),
          user: user,
          requestID: client.requestID
        )
        let entry = AuditEntry.credential(
          "identity.linked",
          of: user,
          detail: ["issuer": .string(identity.issuer), "address": .string(client.address)]
        )
        try tx.execute(AuditWriter.insert(entry, id: ids.next(), context: context))
      }
    }
  }
}
