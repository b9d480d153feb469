package import Domain
internal import FoundationEssentials
internal import Postgres
package import Secrets
internal import Store

/// Signs people in whom an identity provider has identified. At the first sign-in it creates their account.
package struct IdentitySignIn: Sendable {
  private let services: Services
  private let hasher: PasswordHasher

  /// - Parameter hasher: the process-wide pool of the expensive hashes.
  package init(_ services: Services, hasher: PasswordHasher) {
    self.services = services
    self.hasher = hasher
  }

  /// Runs a step that identifies a person before ``signIn(_:request:)``, and audits its refusal.
  package func identifying<Value>(
    _ client: SignInClient,
    _ step: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await step()
    } catch let error as DomainError where SignInAudit.isRefusal(error) {
      await SignInAudit(services: services).refused(.user(nil), client: client, method: .identity)
      throw error
    }
  }

  /// Signs a person in by an identity whose nonce was compared or used up. A refusal is audited.
  ///
  /// An unknown person with a verified address gets an account: in the company of the invite code, else with the
  /// records of the visitor that they were, else with a personal company.
  ///
  /// - Throws: the errors of ``Identities/person(_:)``, ``SignInCompletion/complete(user:proof:request:)`` and
  ///   ``SignUp/signUp(_:in:client:alongside:)``.
  package func signIn(_ identity: VerifiedIdentity, request: SignInRequest) async throws -> SignInResult {
    switch try await person(identity, request.client) {
    case .known(let user, let isLinked):
      if isLinked { try await record(identity, of: user, request.client) }
      return try await SignInCompletion(services).complete(user: user, proof: .identity, request: request)
    case .stranger(let identity, let email):
      return .session(try await signUp(identity, email, request))
    }
  }

  private func person(_ identity: VerifiedIdentity, _ client: SignInClient) async throws -> IdentifiedPerson {
    do {
      return try await Identities(services).person(identity)
    } catch let refused as RefusedIdentity {
      await SignInAudit(services: services).refused(.user(refused.user), client: client, method: .identity)
      throw refused.reason
    }
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
    let opened = try await SignUp(services, hasher: hasher).signUp(
      SignUp.Account(email: email.text, name: name, password: nil, isVerified: true),
      in: place,
      client: request.client
    ) { tx, user in
      let linked = try IdentityStore.link(identity, to: user, id: id, tx)
      // A concurrent first sign-in has created the account.
      guard linked.user == user else { throw DomainError(.signInFirst) }
    }
    if request.code != nil, let visitor {
      _ = try await Visitors(services).claim(visitor, for: opened.user, client: request.client)
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
