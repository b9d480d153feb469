package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// The result of looking up the person whom an identity provider has identified.
enum IdentifiedPerson: Sendable {
  /// The user of the identity. `isLinked` is true if the identity was linked to the account just now, because the
  /// provider and this installation have verified the same email address.
  case known(UUID, isLinked: Bool)
  /// No account has the identity or the address, which is verified: the person may sign up.
  case stranger(VerifiedIdentity, email: EmailAddress)
}

/// The refusal of a person whom an identity provider has identified.
struct RefusedIdentity: Error {
  /// The account of the identity or its address; nil if the answer must not depend on one.
  let user: UUID?
  let reason: DomainError
}

/// The use cases of identities at identity providers.
package struct Identities: Sendable {
  private let services: Services
  private let account: OwnCredentials

  package init(_ services: Services) {
    self.services = services
    account = OwnCredentials(services: services)
  }

  /// Returns the person of an identity whose nonce was compared or used up.
  ///
  /// An identity that is not linked yet is linked to the account with its email address only if the provider has
  /// verified the address, and the account's owner has too. Otherwise somebody could take over an account by an
  /// address that they do not own, or prepare an account with somebody else's address and keep its password.
  ///
  /// - Throws: ``RefusedIdentity``: `sign_in_refused` for a disabled account, and for an unknown identity without a
  ///   verified address; `sign_in_first` if an account with the address exists that must be signed in to before.
  func person(_ identity: VerifiedIdentity) async throws -> IdentifiedPerson {
    let id = services.ids.next()
    return try await services.database.transaction(TransactionOptions(retries: 5)) { tx in
      if let known = try IdentityStore.use(identity, tx) {
        guard known.isActive else { throw RefusedIdentity(user: known.user, reason: Self.disabled) }
        return .known(known.user, isLinked: false)
      }
      guard let email = identity.verifiedEmail else {
        throw RefusedIdentity(user: nil, reason: Self.unverified(identity.addressFault ?? .missing))
      }
      guard let account = try IdentityStore.account(of: email, tx) else {
        return .stranger(identity, email: email)
      }
      func refusal(_ reason: DomainError) -> RefusedIdentity {
        RefusedIdentity(user: account.user, reason: reason)
      }
      guard account.isPerson, account.isVerified else { throw refusal(DomainError(.signInFirst)) }
      guard account.isActive else { throw refusal(Self.disabled) }
      let linked = try IdentityStore.link(identity, to: account.user, id: id, tx)
      // A concurrent sign-in may have linked it.
      guard linked.user == account.user else { throw refusal(DomainError(.signInFirst)) }
      return .known(account.user, isLinked: linked.isNew)
    }
  }

  /// Returns the identities of the acting person.
  package func list(_ acting: ActingContext) async throws -> [IdentityRow] {
    try await account.read(acting) { tx, user in try IdentityStore.all(of: user, tx) }
  }

  /// Links an identity, whose nonce was compared or used up, to the acting person. Whether its email address is
  /// the account's does not matter: the person has proved both.
  ///
  /// - Throws: `already_exists` if the identity is linked to another account, `unauthenticated` if the sign-in is
  ///   not recent, `forbidden`.
  @discardableResult
  package func link(_ acting: ActingContext, _ identity: VerifiedIdentity) async throws -> IdentityRow {
    let id = services.ids.next()
    return try await account.change(acting) { tx, user in
      let linked = try IdentityStore.link(identity, to: user, id: id, tx)
      guard linked.user == user else {
        throw DomainError(
          .alreadyExists,
          "this identity is linked to another account",
          hint: "sign in with it, and remove it there first"
        )
      }
      let rows = try IdentityStore.all(of: user, tx)
      guard let row = rows.first(where: { $0.issuer == identity.issuer && $0.subject == identity.subject })
      else { throw DomainError(.internal) }
      guard linked.isNew else { return (row, []) }
      return (row, [.credential("identity.linked", of: user, detail: ["issuer": .string(identity.issuer)])])
    }
  }

  /// Removes an identity of the acting person.
  ///
  /// - Throws: `not_found`; `wrong_state` if the person could not sign in without it; `unauthenticated` if the
  ///   sign-in is not recent; `forbidden`.
  package func unlink(_ acting: ActingContext, id: UUID) async throws {
    try await account.change(acting) { tx, user in
      let rows = try IdentityStore.all(of: user, tx)
      let issuer = rows.first { $0.id == id }?.issuer ?? ""
      switch try IdentityStore.unlink(id, of: user, tx) {
      case .unknown: throw DomainError(.notFound)
      case .last:
        throw DomainError(
          .wrongState,
          "this identity is the only way to sign in",
          hint: "set a password, or link another identity first"
        )
      case .removed: break
      }
      return ((), [.credential("identity.unlinked", of: user, detail: ["issuer": .string(issuer)])])
    }
  }

  private static func unverified(_ fault: VerifiedIdentity.AddressFault) -> DomainError {
    DomainError(
      .signInRefused,
      "the identity provider vouches for no e-mail address of this person: \(fault.reason)",
      hint: "verify the address there, or sign in with a password and link the identity",
      details: ["fault": .string(fault.rawValue)]
    )
  }

  private static let disabled = DomainError(
    .signInRefused,
    "this account is disabled",
    hint: "ask the operator to enable it"
  )
}
