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
  private let services: Services

  package init(_ services: Services) {
    self.services = services
  }

  /// Returns up to `limit` notices of a member, newest first; for an operator in their own name those of all
  /// members.
  package func list(_ acting: ActingContext, limit: Int) async throws -> [NoticeRow] {
    let company = acting.company.id
    return try await services.database.transaction(.inside(company, user: acting.user, readOnly: true)) {
      tx in
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
  /// - Throws: `invalid_input` for an operator in their own name.
  package func markRead(_ acting: ActingContext) async throws -> Int {
    guard let user = acting.user else {
      throw DomainError(.invalidInput, "an operator has no inbox", hint: "name the member with --as")
    }
    let company = acting.company.id
    return try await services.database.transaction(.inside(company, user: user)) { tx in
      try tx.execute(
        """
        update core.notification set state = 'read', read_at = now()
        where company_id = \(company) and user_id = \(user) and state = 'sent'
        """
      )
    }
  }
}
