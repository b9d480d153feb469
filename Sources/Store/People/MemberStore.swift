package import Domain
package import FoundationEssentials
package import Postgres

/// A member of one company, with their user.
package struct MemberRow: RowDecodable, Sendable {
  package let userID: UUID
  package let email: String
  package let name: String
  package let role: String
  package let status: MemberStatus
  /// True if an operator disabled the person in all companies.
  package let isDisabled: Bool
  package let since: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    userID = try row.next()
    email = try row.next()
    name = try row.next()
    role = try row.next()
    status = MemberStatus(stored: try row.next())
    let userStatus: String = try row.next()
    isDisabled = userStatus != "active"
    since = try row.next()
  }
}

/// Users and their memberships.
package enum MemberStore {
  private static let columns: SQL = "u.id, u.email, u.name, m.role, m.status, u.status, m.created_at"

  /// Returns the members of a company, by name; removed ones only on request.
  ///
  /// - Parameter search: a part of the name or the address, case-insensitive; nil for all members.
  package static func all(
    company: UUID,
    includingRemoved: Bool,
    search: String? = nil,
    _ tx: Transaction
  ) throws -> [MemberRow] {
    let pattern = search.map { "%\($0.escapedForLike)%" }
    return try tx.rows(
      """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and (\(includingRemoved) or m.status <> 'removed')
        and (\(nullable: pattern)::text is null or u.name ilike \(nullable: pattern) or u.email ilike \(nullable: pattern))
      order by u.name, u.email_key
      """,
      as: MemberRow.self
    )
  }

  /// Returns the members whose address, or its part before the `@`, is `handle`, case-insensitive. Exact
  /// addresses come first, then active members.
  package static func find(company: UUID, handle: String, _ tx: Transaction) throws -> [MemberRow] {
    try tx.rows(query(company: "\(company)", handle: handle), as: MemberRow.self)
  }

  /// Returns the query of ``find(company:handle:_:)`` for the company that `core.enter_company` has entered
  /// in the same transaction.
  package static func enteredQuery(handle: String) -> SQL {
    query(company: "(select core.current_company())", handle: handle)
  }

  private static func query(company: SQL, handle: String) -> SQL {
    let key = EmailAddress.key(ofHandle: handle)
    return """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and (u.email_key = \(key) or split_part(u.email_key, '@', 1) = \(key))
      order by u.email_key = \(key) desc, m.status = 'active' desc, u.email_key
      """
  }

  /// Returns a member; nil if the user is none.
  package static func find(company: UUID, user: UUID, _ tx: Transaction) throws -> MemberRow? {
    try tx.first(
      """
      select \(columns)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company) and m.user_id = \(user)
      """,
      as: MemberRow.self
    )
  }

  /// Returns a member, locked so that role and status cannot change until the end of the transaction; nil if
  /// there is none.
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

  /// Returns the active owners and admins of a company, without people who are disabled in all companies.
  package static func administrators(company: UUID, _ tx: Transaction) throws -> [Member] {
    let roles = BuiltInRole.allCases.filter(\.isAdministrator).map(\.rawValue)
    return try tx.rows(
      """
      select m.user_id, m.role
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company)
        and m.status = 'active'
        and m.role = any (\(roles))
        and u.status = 'active'
      """,
      UUID.self,
      String.self
    ).map { Member(user: $0.0, role: $0.1, status: .active) }
  }

  /// True if a company has active people besides one of them. Service accounts are none.
  package static func hasOthers(company: UUID, than user: UUID, _ tx: Transaction) throws -> Bool {
    try tx.value(
      """
      select exists (
        select from core.membership m
        join core.app_user u on u.id = m.user_id
        where m.company_id = \(company)
          and m.user_id <> \(user)
          and m.status = 'active'
          and u.status = 'active'
          and u.kind = 'person'
      )
      """,
      as: Bool.self
    )
  }

  /// Returns the person with an e-mail address, through the only function that may search across companies;
  /// nil if there is none.
  package static func user(email: String, _ tx: Transaction) throws -> (id: UUID, name: String)? {
    try tx.first("select id, name from core.user_by_email(\(email.lowercased()))", UUID.self, String.self)
      .map { (id: $0.0, name: $0.1) }
  }

  /// Inserts a person, unless the address is taken.
  ///
  /// - Parameter passwordHash: the hash of the password by `crypt(3)`; nil for none.
  /// - Returns: false if the address is taken.
  @discardableResult
  package static func insertUser(
    id: UUID,
    email: String,
    name: String,
    kind: String,
    passwordHash: String? = nil,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.value(
      "select core.create_user(\(id), \(email), \(name), \(kind), \(nullable: passwordHash)) is not null",
      as: Bool.self
    )
  }

  /// Adds a person as a member, or restores a removed member.
  ///
  /// - Returns: false if the person is already an active or suspended member.
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

  /// Changes the role of a member. The member's sessions take new secrets.
  package static func setRole(_ role: String, company: UUID, user: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.membership set role = \(role), updated_at = now()
      where company_id = \(company) and user_id = \(user)
      """
    )
    try tx.execute("select core.renew_sessions(\(company), \(user))")
  }

  /// Suspends, reinstates or removes a member. The sessions of a suspended or removed member end.
  package static func setStatus(_ status: MemberStatus, company: UUID, user: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.membership set status = \(status.rawValue), updated_at = now()
      where company_id = \(company) and user_id = \(user)
      """
    )
    guard status != .active else { return }
    try SessionStore.end(of: user, company: company, because: "member_\(status.rawValue)", tx)
  }
}
