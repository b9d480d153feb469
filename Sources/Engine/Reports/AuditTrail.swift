package import FoundationEssentials
package import Postgres
internal import Store

/// An audit entry with display names.
package struct AuditLine: RowDecodable, Sendable {
  package let id: UUID
  package let at: Instant
  package let actorKind: String
  /// The operator's account name, or the member's name.
  package let actor: String
  /// The member on whose behalf the actor acted; nil if there is none.
  package let onBehalfOf: String?
  package let action: String
  package let subjectType: String
  /// The display name of the changed object, or its id.
  package let subject: String
  package let subjectID: String
  package let detail: JSON

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    at = try row.next()
    actorKind = try row.next()
    actor = try row.next()
    onBehalfOf = try row.next()
    action = try row.next()
    subjectType = try row.next()
    subject = try row.next()
    subjectID = try row.next()
    detail = try row.next()
  }
}

/// Reads the log of changes to people, roles and settings.
package struct AuditTrail: Sendable {
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns up to `limit` entries, newest first. Requires `audit.read`.
  ///
  /// - Parameters:
  ///   - after: the last entry of the previous page; nil for the first page.
  ///   - action: the only action, such as `member.role_changed`; nil for all.
  package func newest(
    _ acting: ActingContext,
    limit: Int,
    after place: TimePlace? = nil,
    action: String? = nil
  ) async throws -> [AuditLine] {
    try await administration.read(acting, permission: "audit.read") { tx, _ in
      // Only some subject types have UUIDs as ids, so the cast is limited to them.
      try tx.rows(
        """
        select a.id, a.at, a.actor_kind, coalesce(nullif(a.actor_name, ''), core.name_at(a.actor_id, a.at), ''), core.name_at(a.on_behalf_of, a.at),
          a.action,
          a.subject_type,
          coalesce(
            case a.subject_type
              when 'member' then (select s.email from core.app_user s where s.id = a.subject_id::uuid)
              when 'company' then (select c.slug from core.company c where c.id = a.subject_id::uuid)
              when 'invite' then (
                select i.hint from core.invite i
                where i.company_id = a.company_id and i.id = a.subject_id::uuid)
              when 'token' then (
                select t.name from core.api_token t
                where t.company_id = a.company_id and t.id = a.subject_id::uuid)
            end,
            case when a.subject_type like '%.%' then a.subject_type || ' ' || left(a.subject_id, 13) end,
            a.subject_id),
          a.subject_id, a.detail
        from core.audit a
        where a.company_id = \(acting.company.id)
          and (\(nullable: action)::text is null or a.action = \(nullable: action))
          and (\(nullable: place?.at)::timestamptz is null
            or (a.at, a.id) < (\(nullable: place?.at)::timestamptz, \(nullable: place?.id)::uuid))
        order by a.at desc, a.id desc
        limit \(limit)
        """,
        as: AuditLine.self
      )
    }
  }
}
