internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Somebody whom a command names by an address; known to other companies perhaps, or to none.
struct Person {
  let email: EmailAddress
  let name: DisplayName
  /// The id of their account if it has to be made.
  let newID: UUID

  init(email: String, name: String, newID: UUID) throws {
    self.email = try EmailAddress(parsing: email)
    self.name = try DisplayName(parsing: name)
    self.newID = newID
  }

  /// The person's account, made if the address has none. A known person keeps the name they gave themselves.
  func account(kind: String = "person", _ tx: Transaction) throws -> UUID {
    if let known = try MemberStore.user(email: email.key, tx) { return known.id }
    try MemberStore.insertUser(id: newID, email: email.text, name: name.text, kind: kind, tx)
    // Another company may have let the same person in meanwhile; then theirs is the account.
    guard let made = try MemberStore.user(email: email.key, tx) else { throw DomainError(.internal) }
    return made.id
  }
}
