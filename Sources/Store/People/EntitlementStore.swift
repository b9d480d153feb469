package import FoundationEssentials
package import Postgres

/// An entitlement of a company or of one of its members.
package struct EntitlementRow: RowDecodable, Sendable {
  package let id: UUID
  package let name: String
  /// The e-mail address of the only member who has the entitlement; nil if all members have it.
  package let member: String?
  package let validFrom: Instant
  package let validUntil: Instant?
  package let grantedBy: String
  package let revokedAt: Instant?
  /// True if the entitlement is valid now.
  package let isInForce: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    name = try row.next()
    member = try row.next()
    validFrom = try row.next()
    validUntil = try row.next()
    grantedBy = try row.next()
    revokedAt = try row.next()
    isInForce = try row.next()
  }
}

/// Entitlements: granted and revoked by operators, required by writes of types that name one.
package enum EntitlementStore {
  private static let inForce: SQL = """
    e.revoked_at is null and e.valid_from <= now() and coalesce(e.valid_until > now(), true)
    """

  /// Returns the query for whether the company, or this member of the company, has an entitlement now.
  package static func holds(_ name: String, company: UUID, user: UUID?) -> SQL {
    """
    select exists (
      select from core.entitlement e
      where e.company_id = \(company) and e.name = \(name)
        and (e.user_id is null or e.user_id = \(nullable: user))
        and \(inForce)
    )
    """
  }

  /// Returns the entitlements of a company; revoked and expired ones only on request.
  package static func all(company: UUID, includingPast: Bool, _ tx: Transaction) throws -> [EntitlementRow] {
    try tx.rows(
      """
      select e.id, e.name, u.email, e.valid_from, e.valid_until, e.granted_by, e.revoked_at, \(inForce)
      from core.entitlement e
      left join core.app_user u on u.id = e.user_id
      where e.company_id = \(company)
        and (\(includingPast) or e.revoked_at is null and coalesce(e.valid_until > now(), true))
      order by e.name, u.email nulls first, e.granted_at, e.id
      """,
      as: EntitlementRow.self
    )
  }

  /// Grants an entitlement, or changes the dates of an existing one.
  ///
  /// - Parameters:
  ///   - user: the only member who gets the entitlement; nil for all members.
  ///   - from: the start of its validity; nil for now.
  ///   - until: the end of its validity; nil for no end.
  package static func grant(
    id: UUID,
    company: UUID,
    user: UUID?,
    name: String,
    from: Instant?,
    until: Instant?,
    by operatorName: String,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.entitlement (company_id, id, user_id, name, valid_from, valid_until, granted_by)
      values (\(company), \(id), \(nullable: user), \(name), coalesce(\(nullable: from), now()), \(nullable: until),
              \(operatorName))
      on conflict (company_id, name, user_id) where revoked_at is null do update
      set valid_from = excluded.valid_from, valid_until = excluded.valid_until,
          granted_by = excluded.granted_by, granted_at = now()
      """
    )
  }

  /// Revokes an entitlement.
  ///
  /// - Returns: false if there was none to revoke.
  package static func revoke(
    company: UUID,
    user: UUID?,
    name: String,
    by operatorName: String,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.execute(
      """
      update core.entitlement set revoked_at = now(), revoked_by = \(operatorName)
      where company_id = \(company) and name = \(name) and user_id is not distinct from \(nullable: user)
        and revoked_at is null
      """
    ) > 0
  }
}
