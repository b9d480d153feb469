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

  /// Signs a person in by an identity whose nonce was compared or used up.
  ///
  /// An unknown person with a verified address gets an account: in the company of the invite code, else with the
  /// records of the visitor that they were, else with a personal company.
  ///
  /// - Throws: the errors of ``Identities/person(_:)``, ``SignInCompletion/complete(user:proof:request:)`` and
  ///   ``SignUp/signUp(_:in:client:alongside:)``.
  package func signIn(_ identity: VerifiedIdentity, request: SignInRequest) async throws -> SignInResult {
    switch try await Identities(services).person(identity) {
    case .known(let user, let isLinked):
      if isLinked { try await record(identity, of: user, request.client) }
      return try await SignInCompletion(services).complete(user: user, proof: .identity, request: request)
    case .stranger(let identity, let email):
      return .session(try await signUp(identity, email, request))
    }
  }

  private func signUp(
    _ identity: VerifiedIdentity,
    _ email: EmailAddress,
    _ request: SignInRequest
  ) async throws -> OpenedSession {
    let name = identity.name?.text ?? String(email.text.prefix { $0 != "@" })
    let place: SignUp.Place =
      if let code = request.code {
        .invite(code: code)
      } else if let token = request.visitor {
        .visitor(token: token)
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
    if request.code != nil, let visitor = request.visitor {
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
