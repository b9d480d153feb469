internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// A person named by an address, who may or may not have an account through another company.
struct Person {
  let email: EmailAddress
  let name: DisplayName
  /// The id for a new account.
  let newID: UUID

  init(email: String, name: String, newID: UUID) throws {
    self.email = try EmailAddress(parsing: email)
    self.name = try DisplayName(parsing: name)
    self.newID = newID
  }

  /// Returns the person's account, creating it if the address has none. An existing account keeps its name.
  func account(kind: String = "person", _ tx: Transaction) throws -> UUID {
    if let known = try MemberStore.user(email: email.key, tx) { return known.id }
    try MemberStore.insertUser(id: newID, email: email.text, name: name.text, kind: kind, tx)
    // Another company may have created the account concurrently; then that account is used.
    guard let made = try MemberStore.user(email: email.key, tx) else { throw DomainError(.internal) }
    return made.id
  }
}
