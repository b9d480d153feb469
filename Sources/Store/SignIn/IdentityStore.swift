package import Domain
package import FoundationEssentials
package import Postgres

/// An identity of a user at an identity provider.
package struct IdentityRow: RowDecodable, Sendable {
  package let id: UUID
  package let issuer: String
  package let subject: String
  /// The address that the provider named last; nil if none.
  package let email: String?
  package let linkedAt: Instant
  package let lastUsedAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    issuer = try row.next()
    subject = try row.next()
    email = try row.next()
    linkedAt = try row.next()
    lastUsedAt = try row.next()
  }
}

/// The account of an email address, as far as linking an identity to it needs.
package struct AddressAccount: RowDecodable, Sendable {
  package let user: UUID
  /// True for a person; false for a service or a visitor.
  package let isPerson: Bool
  package let isActive: Bool
  /// True if the person has proved to receive mail at the address.
  package let isVerified: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    user = try row.next()
    let kind: String = try row.next()
    isPerson = kind == "person"
    let status: String = try row.next()
    isActive = status == "active"
    let verifiedAt: Instant? = try row.next()
    isVerified = verifiedAt != nil
  }
}

/// Identities at identity providers. Only entry functions read and write them.
package enum IdentityStore {
  /// The result of removing an identity.
  package enum Removal: String, Sendable {
    case removed
    case unknown
    /// The user could not sign in without it.
    case last
  }

  /// Returns the user of an identity and whether the account is active, and records the use; nil if the identity
  /// is not linked.
  package static func use(_ identity: VerifiedIdentity, _ tx: Transaction) throws -> (
    user: UUID, isActive: Bool
  )? {
    let found = try tx.first(
      """
      select l.user_id, l.user_status = 'active'
      from core.identity_lookup(\(identity.issuer), \(identity.subject), \(nullable: identity.email?.text)) l
      """,
      UUID.self,
      Bool.self
    )
    return found.map { ($0.0, $0.1) }
  }

  /// Returns the identities of a user, oldest first.
  package static func all(of user: UUID, _ tx: Transaction) throws -> [IdentityRow] {
    try tx.rows(
      """
      select i.id, i.issuer, i.subject, i.email, i.linked_at, i.last_used_at from core.identities_of(\(user)) i
      """,
      as: IdentityRow.self
    )
  }

  /// Returns the account of an email address; nil if there is none.
  package static func account(of address: EmailAddress, _ tx: Transaction) throws -> AddressAccount? {
    try tx.first(
      "select a.user_id, a.kind, a.status, a.email_verified_at from core.account_of_address(\(address.key)) a",
      as: AddressAccount.self
    )
  }

  /// Links an identity to a user.
  ///
  /// - Returns: the user to whom it is linked, who is another one if it was linked before, and whether the link is
  ///   new.
  package static func link(
    _ identity: VerifiedIdentity,
    to user: UUID,
    id: UUID,
    _ tx: Transaction
  ) throws -> (user: UUID, isNew: Bool) {
    let linked = try tx.first(
      """
      select l.user_id, l.is_new
      from core.link_identity(\(id), \(identity.issuer), \(identity.subject), \(user), \(nullable: identity.email?.text)) l
      """,
      UUID.self,
      Bool.self
    )
    guard let linked else { throw DomainError(.internal) }
    return (linked.0, linked.1)
  }

  /// Removes an identity of a user, unless it is the last way to sign in.
  package static func unlink(_ id: UUID, of user: UUID, _ tx: Transaction) throws -> Removal {
    let result = try tx.value("select core.unlink_identity(\(user), \(id))", as: String.self)
    guard let removal = Removal(rawValue: result) else { throw DomainError(.internal) }
    return removal
  }
}
