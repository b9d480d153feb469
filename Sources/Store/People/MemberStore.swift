package import FoundationEssentials
package import Postgres

/// A member of one company, with the person behind it.
package struct MemberRow: RowDecodable, Sendable {
  package let userID: UUID
  package let email: String
  package let name: String
  package let role: String
  package let status: String
  package let since: Timestamp

  package init(row: inout RowReader) throws(PostgresError) {
    userID = try row.next()
    email = try row.next()
    name = try row.next()
    role = try row.next()
    status = try row.next()
    since = try row.next()
  }
}

/// Users and their memberships.
package enum MemberStore {
  private static let columns: SQL = "u.id, u.email, u.name, m.role, m.status, m.created_at"

  /// The members of a company, removed ones only on request.
  package static func all(company: UUID, includingRemoved: Bool, _ tx: Transaction) throws -> [MemberRow] {
    try tx.rows(
      """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and (\(includingRemoved) or m.status <> 'removed')
      order by u.name, u.email_key
      """,
      as: MemberRow.self
    )
  }

  /// The member whose e-mail address or whose name before the `@` is `handle`, in any case of letters.
  package static func find(company: UUID, handle: String, _ tx: Transaction) throws -> [MemberRow] {
    let key = handle.lowercased()
    return try tx.rows(
      """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and (u.email_key = \(key) or split_part(u.email_key, '@', 1) = \(key))
      order by u.email_key = \(key) desc, m.status = 'active' desc
      """,
      as: MemberRow.self
    )
  }

  /// The member with an id, locked so that role and status hold until the end of the transaction.
  package static func lock(company: UUID, user: UUID, _ tx: Transaction) throws -> MemberRow? {
    try tx.first(
      """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company) and m.user_id = \(user)
      for no key update of m
      """,
      as: MemberRow.self
    )
  }

  /// How many active owners and admins a company has besides one member.
  package static func administrators(company: UUID, besides user: UUID, _ tx: Transaction) throws -> Int {
    try tx.value(
      """
      select count(*)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and m.user_id <> \(user)
        and m.status = 'active'
        and u.status = 'active'
        and m.role in ('owner', 'admin')
      """,
      as: Int.self
    )
  }

  /// The person with an e-mail address, through the one function that may look across companies.
  package static func user(email: String, _ tx: Transaction) throws -> (id: UUID, name: String)? {
    try tx.first("select id, name from core.user_by_email(\(email.lowercased()))", UUID.self, String.self)
      .map { (id: $0.0, name: $0.1) }
  }

  /// Writes a new person.
  package static func insertUser(id: UUID, email: String, name: String, kind: String, _ tx: Transaction)
    throws
  {
    try tx.execute("select core.create_user(\(id), \(email), \(name), \(kind))")
  }

  /// Makes a person a member, or a removed member one again.
  ///
  /// - Returns: false when the person is a member already.
  package static func insert(
    company: UUID,
    user: UUID,
    role: String,
    invitedBy: UUID?,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.execute(
      """
      insert into core.membership (company_id, user_id, role, status, invited_by)
      values (\(company), \(user), \(role), 'active', \(nullable: invitedBy))
      on conflict (company_id, user_id) do update
      set role = excluded.role, status = 'active', updated_at = now()
      where core.membership.status = 'removed'
      """
    ) == 1
  }

  /// Gives a member another role.
  package static func setRole(_ role: String, company: UUID, user: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.membership set role = \(role), updated_at = now()
      where company_id = \(company) and user_id = \(user)
      """
    )
  }

  /// Suspends, reinstates or removes a member.
  package static func setStatus(_ status: String, company: UUID, user: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.membership set status = \(status), updated_at = now()
      where company_id = \(company) and user_id = \(user)
      """
    )
  }
}
