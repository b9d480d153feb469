package import FoundationEssentials
package import Postgres

/// An invite without its code, which is shown once and stored only as a keyed hash.
package struct InviteRow: RowDecodable, Sendable {
  package let id: UUID
  package let role: String
  package let hint: String
  package let email: String?
  package let maxUses: Int
  package let used: Int
  package let expiresAt: Instant
  package let revokedAt: Instant?
  package let createdBy: UUID?
  package let createdAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    role = try row.next()
    hint = try row.next()
    email = try row.next()
    maxUses = try row.next()
    used = try row.next()
    expiresAt = try row.next()
    revokedAt = try row.next()
    createdBy = try row.next()
    createdAt = try row.next()
  }
}

/// Invites of a company, and the locator that finds the company of a code.
package enum InviteStore {
  private static let columns: SQL =
    "i.id, i.role, i.hint, i.email_key, i.max_uses, i.used, i.expires_at, i.revoked_at, i.created_by, i.created_at"

  /// Returns the invites of a company, newest first.
  package static func all(company: UUID, _ tx: Transaction) throws -> [InviteRow] {
    try tx.rows(
      "select \(columns) from core.invite i where i.company_id = \(company) order by i.created_at desc, i.id",
      as: InviteRow.self
    )
  }

  /// Inserts an invite and its locator.
  package static func insert(
    id: UUID,
    company: UUID,
    role: String,
    codeHMAC: [UInt8],
    hint: String,
    email: String?,
    maxUses: Int,
    expiresAt: Instant,
    createdBy: UUID?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.invite (company_id, id, role, hint, email_key, max_uses, used, expires_at, created_by)
      values (\(company), \(id), \(role), \(hint), \(nullable: email?.lowercased()), \(Int32(clamping: maxUses)), 0, \(expiresAt),
              \(nullable: createdBy))
      """
    )
    try tx.execute("select core.create_invite_locator(\(codeHMAC), \(company), \(id))")
  }

  /// Takes one use of an invite. The whole check is one statement, so that concurrent redemptions cannot
  /// exceed the number of uses.
  ///
  /// - Returns: nil if the invite is revoked, expired, used up or for another address.
  package static func use(company: UUID, invite: UUID, email: String, _ tx: Transaction) throws -> InviteRow?
  {
    try tx.first(
      """
      update core.invite i set used = used + 1
      where i.company_id = \(company)
        and i.id = \(invite)
        and i.revoked_at is null
        and i.expires_at > now()
        and i.used < i.max_uses
        and (i.email_key is null or i.email_key = \(email.lowercased()))
      returning \(columns)
      """,
      as: InviteRow.self
    )
  }

  /// Revokes an invite.
  ///
  /// - Returns: false if there was none to revoke.
  package static func revoke(company: UUID, invite: UUID, _ tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      update core.invite set revoked_at = now()
      where company_id = \(company) and id = \(invite) and revoked_at is null
      """
    ) == 1
  }

  /// Returns the number of failures in the last 15 minutes: from one source, for one account, and in total.
  package static func recentFailures(
    source: String,
    account: String,
    _ tx: Transaction
  ) throws -> (source: Int, account: Int, all: Int) {
    let counts = try tx.first(
      "select f.from_source, f.for_account, f.in_total from core.invite_failures(\(source), \(account)) f",
      Int.self,
      Int.self,
      Int.self
    )
    return (source: counts?.0 ?? 0, account: counts?.1 ?? 0, all: counts?.2 ?? 0)
  }
}
