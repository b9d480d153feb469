package import Domain
package import FoundationEssentials
package import Postgres

/// A membership of a person, as an operator sees it across companies.
package struct PersonRow: RowDecodable, Sendable {
  package let userID: UUID
  package let email: String
  package let name: String
  /// True if the person is disabled in all companies.
  package let isDisabled: Bool
  /// The company's slug; nil for a person without a company.
  package let company: String?
  package let role: String?
  package let status: MemberStatus?

  package init(row: inout RowReader) throws(PostgresError) {
    userID = try row.next()
    email = try row.next()
    name = try row.next()
    let userStatus: String = try row.next()
    isDisabled = userStatus != "active"
    company = try row.next()
    role = try row.next()
    let stored: String? = try row.next()
    status = stored.map(MemberStatus.init(stored:))
  }
}

/// People across companies, for operators.
package enum PersonStore {
  /// Returns the people whose name or address contains a text, case-insensitive, one row for each membership.
  ///
  /// - Parameter limit: the maximum number of people.
  package static func search(_ text: String, limit: Int, _ tx: Transaction) throws -> [PersonRow] {
    let pattern = "%\(text.escapedForLike)%"
    return try tx.rows(
      """
      select u.id, u.email, u.name, u.status, c.slug, c.role, c.membership_status
      from (
        select u.id, u.email, u.email_key, u.name, u.status from core.app_user u
        where u.name ilike \(pattern) or u.email ilike \(pattern)
        order by u.name, u.email_key
        limit \(limit)
      ) u
      left join lateral core.companies_of(u.id) c on true
      order by u.name, u.email_key, c.slug
      """,
      as: PersonRow.self
    )
  }

  /// Returns the companies that have a person as a member, without removed memberships.
  package static func companies(of user: UUID, _ tx: Transaction) throws -> [UUID] {
    try tx.rows(
      """
      select c.company_id from core.companies_of(\(user)) c
      where c.membership_status <> 'removed'
      order by c.company_id
      """,
      UUID.self
    )
  }

  /// Disables a person in all companies and ends their sessions, or enables the person again.
  ///
  /// - Returns: false if the person had that status already.
  package static func setDisabled(_ isDisabled: Bool, user: UUID, _ tx: Transaction) throws -> Bool {
    let status = isDisabled ? "disabled" : "active"
    if isDisabled { try SessionStore.end(of: user, because: "disabled", tx) }
    return try tx.execute(
      """
      update core.app_user set status = \(status), updated_at = now()
      where id = \(user) and status <> \(status)
      """
    ) == 1
  }

  /// Enters a company in a transaction that administers several companies, one after the other.
  package static func enter(_ company: UUID, _ tx: Transaction) throws {
    try tx.execute("select set_config('fettle.company_id', \(company.text), true)")
  }
}
