internal import Domain
package import FoundationEssentials
internal import Postgres
internal import Store

/// The proof that the person who typed an email address may use the account of that address.
package enum AddressProof: Sendable, Equatable {
  /// None: an existing account belongs to somebody else, as far as anybody can tell.
  case none
  /// The person is signed in to this account.
  case signedIn(UUID)
  /// An operator vouches for the person.
  case `operator`
}

/// A person named by an email address. They may have an account already, through another company.
struct Person {
  let email: EmailAddress
  let name: DisplayName
  /// The id of the account if it has to be created.
  let newID: UUID

  init(email: String, name: String, newID: UUID) throws {
    self.email = try EmailAddress(parsing: email)
    self.name = try DisplayName(parsing: name)
    self.newID = newID
  }

  /// Returns the id of the person's account, which is created if there is none. An existing account keeps its
  /// name.
  ///
  /// - Returns: nil if the account exists and the proof is not sufficient.
  func account(kind: String = "person", provenBy proof: AddressProof, _ tx: Transaction) throws -> UUID? {
    if try MemberStore.user(email: email.key, tx) == nil {
      try MemberStore.insertUser(id: newID, email: email.text, name: name.text, kind: kind, tx)
    }
    // A concurrent transaction may have created the account.
    guard let account = try MemberStore.user(email: email.key, tx) else { throw DomainError(.internal) }
    switch proof {
    case .operator: return account.id
    case .signedIn(let user): return account.id == user || account.id == newID ? account.id : nil
    case .none: return account.id == newID ? account.id : nil
    }
  }
}
