internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

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
  func account(kind: String = "person", _ tx: Transaction) throws -> UUID {
    if let known = try MemberStore.user(email: email.key, tx) { return known.id }
    try MemberStore.insertUser(id: newID, email: email.text, name: name.text, kind: kind, tx)
    // A concurrent transaction may have created the account; then that one is used.
    guard let made = try MemberStore.user(email: email.key, tx) else { throw DomainError(.internal) }
    return made.id
  }
}
