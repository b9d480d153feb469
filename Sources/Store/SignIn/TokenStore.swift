package import FoundationEssentials
package import Postgres

/// An API token without its secret.
package struct TokenRow: RowDecodable, Sendable {
  package let id: UUID
  package let name: String
  package let owner: String
  package let scopes: [String]
  package let expiresAt: Instant?
  package let lastUsedAt: Instant?
  package let revokedAt: Instant?
  package let createdAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    name = try row.next()
    owner = try row.next()
    scopes = try row.next()
    expiresAt = try row.next()
    lastUsedAt = try row.next()
    revokedAt = try row.next()
    createdAt = try row.next()
  }
}

/// API tokens. Their secrets are stored as hashes, which only the owner of the lookup function can read.
package enum TokenStore {
  /// Returns the tokens of a company, newest first.
  package static func all(company: UUID, _ tx: Transaction) throws -> [TokenRow] {
    try tx.rows(
      """
      select t.id, t.name, u.email, t.scopes, t.expires_at, t.last_used_at, t.revoked_at, t.created_at
      from core.api_token t
      join core.app_user u on u.id = t.user_id
      where t.company_id = \(company)
      order by t.created_at desc, t.id
      """,
      as: TokenRow.self
    )
  }

  /// Inserts a token.
  package static func insert(
    id: UUID,
    company: UUID,
    user: UUID,
    name: String,
    secretHash: [UInt8],
    scopes: [String],
    expiresAt: Instant?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      select core.create_token(\(id), \(company), \(user), \(name), \(secretHash), \(scopes), \(nullable: expiresAt))
      """
    )
  }

  /// Revokes a token.
  ///
  /// - Returns: false if there was none to revoke.
  package static func revoke(company: UUID, id: UUID, _ tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      update core.api_token set revoked_at = now()
      where company_id = \(company) and id = \(id) and revoked_at is null
      """
    ) == 1
  }

  /// Revokes all tokens of a member.
  package static func revokeAll(company: UUID, user: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.api_token set revoked_at = now()
      where company_id = \(company) and user_id = \(user) and revoked_at is null
      """
    )
  }
}
