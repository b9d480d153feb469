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
  package let createdAt: Timestamp

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

/// The inboxes of a company's members.
package struct Inbox: Sendable {
  private let administration: CompanyAdministration

  package init(_ services: Services) {
    administration = CompanyAdministration(services)
  }

  /// Returns up to `limit` notices of a member, newest first; for an operator in their own name those of all
  /// members.
  ///
  /// - Throws: `forbidden` unless the member is active, or the error of the company's status.
  package func list(_ acting: ActingContext, limit: Int) async throws -> [NoticeRow] {
    let company = acting.company.id
    return try await administration.read(acting, permission: nil) { tx, _ in
      try tx.rows(
        """
        select n.id, u.name, n.template, n.record_type, n.record_id, n.data, n.state, n.created_at
        from core.notification n
        join core.app_user u on u.id = n.user_id
        where n.company_id = \(company)
          and (\(nullable: acting.user)::uuid is null or n.user_id = \(nullable: acting.user))
        order by n.created_at desc, n.id desc
        limit \(limit)
        """,
        as: NoticeRow.self
      )
    }
  }

  /// Marks all of a member's notices as read.
  ///
  /// - Returns: the number of notices that were unread.
  /// - Throws: `invalid_input` for an operator in their own name, `forbidden` unless the member is active and no
  ///   guest, or the error of the company's status.
  package func markRead(_ acting: ActingContext) async throws -> Int {
    let company = acting.company.id
    return try await administration.speak(acting) { tx, user in
      try tx.execute(
        """
        update core.notification set state = 'read', read_at = now()
        where company_id = \(company) and user_id = \(user) and state = 'sent'
        """
      )
    }
  }
}
