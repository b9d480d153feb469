internal import Domain
package import FoundationEssentials
package import Postgres
internal import Store

/// A notice in a member's inbox.
package struct NoticeRow: RowDecodable, Sendable {
  package let id: UUID
  package let to: String
  package let template: String
  package let recordType: String?
  package let recordID: UUID?
  package let data: JSON
  package let state: String
  package let createdAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    to = try row.next()
    template = try row.next()
    recordType = try row.next()
    recordID = try row.next()
    data = try row.next()
    state = try row.next()
    createdAt = try row.next()
  }
}

/// The inboxes of a company's members. A token requires the scopes `inbox.read` and `inbox.update`.
package struct Inbox: Sendable {
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns up to `limit` notices of a member, newest first; for an operator in their own name those of all
  /// members.
  ///
  /// - Parameters:
  ///   - after: the last notice of the previous page; nil for the first page.
  ///   - unread: true for unread notices only.
  /// - Throws: `forbidden` unless the member is active, or the error of the company's status.
  package func list(
    _ acting: ActingContext,
    limit: Int,
    after place: TimePlace? = nil,
    unread: Bool = false
  ) async throws -> [NoticeRow] {
    let company = acting.company.id
    return try await administration.readOwn(acting, permission: "inbox.read") { tx, _ in
      try tx.rows(
        """
        select n.id, u.name, n.template, n.record_type, n.record_id, n.data, n.state, n.created_at
        from core.notification n
        join core.app_user u on u.id = n.user_id
        where n.company_id = \(company)
          and (\(nullable: acting.user)::uuid is null or n.user_id = \(nullable: acting.user))
          and (not \(unread) or n.state = 'sent')
          and (\(nullable: place?.at)::timestamptz is null
            or (n.created_at, n.id) < (\(nullable: place?.at)::timestamptz, \(nullable: place?.id)::uuid))
        order by n.created_at desc, n.id desc
        limit \(limit)
        """,
        as: NoticeRow.self
      )
    }
  }

  /// Returns the numbers of all and of unread notices of a member.
  ///
  /// - Throws: as ``list(_:limit:after:unread:)``.
  package func count(_ acting: ActingContext) async throws -> (all: Int, unread: Int) {
    let company = acting.company.id
    return try await administration.readOwn(acting, permission: "inbox.read") { tx, _ in
      let counts = try tx.first(
        """
        select count(*), count(*) filter (where n.state = 'sent')
        from core.notification n
        where n.company_id = \(company)
          and (\(nullable: acting.user)::uuid is null or n.user_id = \(nullable: acting.user))
        """,
        Int.self,
        Int.self
      )
      return (all: counts?.0 ?? 0, unread: counts?.1 ?? 0)
    }
  }

  /// Marks notices of a member as read.
  ///
  /// - Parameter ids: the notices; nil for all. Notices of other members, and those that were read, are skipped.
  /// - Returns: the number of notices that were unread.
  /// - Throws: `invalid_input` for an operator in their own name, `forbidden` unless the member is active and no
  ///   guest, or the error of the company's status.
  package func markRead(_ acting: ActingContext, _ ids: [UUID]? = nil) async throws -> Int {
    let company = acting.company.id
    return try await administration.speak(acting, permission: "inbox.update") { tx, user in
      try tx.execute(
        """
        update core.notification set state = 'read', read_at = now()
        where company_id = \(company) and user_id = \(user) and state = 'sent'
          and (\(ids == nil) or id = any (\(ids ?? [])))
        """
      )
    }
  }
}
