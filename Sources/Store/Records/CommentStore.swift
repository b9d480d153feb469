package import FoundationEssentials
package import Postgres

/// A comment on a record.
package struct CommentRow: RowDecodable, Sendable {
  package let id: UUID
  /// The author; nil for an operator.
  package let createdBy: UUID?
  /// The author's name at that time.
  package let author: String
  package let body: String
  /// The mentioned members.
  package let mentions: [UUID]
  package let createdAt: Instant
  package let editedAt: Instant?

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    createdBy = try row.next()
    author = try row.next()
    body = try row.next()
    mentions = try row.next()
    createdAt = try row.next()
    editedAt = try row.next()
  }
}

/// The statements about comments and watchers.
package enum CommentStore {
  private static let columns: SQL =
    "m.id, m.created_by, m.author_name, m.body, m.mentions, m.created_at, m.edited_at"

  /// Selects the comments on a record that are not deleted, oldest first.
  package static func all(company: UUID, type: String, record: UUID) -> SQL {
    """
    select \(columns) from core.comment m
    where m.company_id = \(company) and m.record_type = \(type) and m.record_id = \(record) and m.deleted_at is null
    order by m.created_at, m.id
    """
  }

  /// Selects a comment, unless it was deleted.
  package static func find(company: UUID, id: UUID) -> SQL {
    "select \(columns) from core.comment m where m.company_id = \(company) and m.id = \(id) and m.deleted_at is null"
  }

  /// Selects a comment on a record and locks it against concurrent changes, unless it was deleted.
  package static func lock(company: UUID, type: String, record: UUID, id: UUID) -> SQL {
    """
    select \(columns) from core.comment m
    where m.company_id = \(company) and m.id = \(id) and m.record_type = \(type) and m.record_id = \(record)
      and m.deleted_at is null
    for no key update
    """
  }

  /// Inserts a comment.
  ///
  /// - Parameter owner: the owner of the private record; nil if records belong to the company.
  package static func insert(
    company: UUID,
    id: UUID,
    about record: (type: String, id: UUID),
    owner: UUID?,
    body: String,
    mentions: [UUID],
    author: (user: UUID?, name: String),
    at now: Instant
  ) -> SQL {
    """
    insert into core.comment
      (company_id, id, record_type, record_id, owner_id, body, mentions, created_by, author_name, created_at)
    values (\(company), \(id), \(record.type), \(record.id), \(nullable: owner), \(body), \(mentions),
            \(nullable: author.user), \(author.name), \(now))
    """
  }

  /// Replaces the text and the mentions of a comment.
  package static func edit(company: UUID, id: UUID, body: String, mentions: [UUID], at now: Instant) -> SQL {
    """
    update core.comment set body = \(body), mentions = \(mentions), edited_at = \(now)
    where company_id = \(company) and id = \(id)
    """
  }

  /// Marks a comment as deleted.
  package static func withdraw(company: UUID, id: UUID, at now: Instant) -> SQL {
    "update core.comment set deleted_at = \(now) where company_id = \(company) and id = \(id)"
  }

  /// Selects the active members with these handles: the part of the address before the `@`, in lower case.
  package static func members(company: UUID, handles: [String]) -> SQL {
    """
    select m.user_id, split_part(u.email_key, '@', 1)
    from core.membership m
    join core.app_user u on u.id = m.user_id
    where m.company_id = \(company) and m.status = 'active' and split_part(u.email_key, '@', 1) = any (\(handles))
    order by m.user_id
    """
  }

  /// Makes a member watch a record, unless the member has chosen before.
  package static func follow(company: UUID, type: String, record: UUID, user: UUID) -> SQL {
    """
    insert into core.watcher (company_id, record_type, record_id, user_id)
    values (\(company), \(type), \(record), \(user))
    on conflict do nothing
    """
  }

  /// Stores whether a member watches a record.
  package static func watch(company: UUID, type: String, record: UUID, user: UUID, _ isWatching: Bool) -> SQL
  {
    """
    insert into core.watcher (company_id, record_type, record_id, user_id, is_watching)
    values (\(company), \(type), \(record), \(user), \(isWatching))
    on conflict (company_id, record_type, record_id, user_id) do update set is_watching = excluded.is_watching
    """
  }

  /// Selects the active members who watch a record: those who chose to, and the creator unless opted out.
  package static func watchers(company: UUID, type: String, record: UUID, creator: UUID?) -> SQL {
    """
    select m.user_id, u.name
    from core.membership m
    join core.app_user u on u.id = m.user_id
    left join core.watcher w on w.company_id = m.company_id and w.record_type = \(type) and w.record_id = \(record)
      and w.user_id = m.user_id
    where m.company_id = \(company) and m.status = 'active'
      and coalesce(w.is_watching, m.user_id = \(nullable: creator), false)
    order by u.name, m.user_id
    """
  }
}
