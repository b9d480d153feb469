internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// Rule R3: a company keeps an active owner or admin.
enum Administrators {
  /// Refuses a change after which nobody could put the company in order.
  ///
  /// Asked under the company's lock and before writing, so that two changes at once see each other.
  static func requireOne(after change: Member, named name: String, in company: CompanyRow, _ tx: Transaction)
    throws
  {
    let roles = BuiltInRole.allCases.filter(\.isAdministrator).map(\.rawValue)
    let before = try tx.rows(
      """
      select m.user_id, m.role
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(company.id)
        and m.status = 'active'
        and m.role = any (\(roles))
        and u.status = 'active'
      """,
      UUID.self,
      String.self
    ).map { Member(user: $0.0, role: $0.1, status: .active) }
    let after = before.map { $0.user == change.user ? change : $0 }
    guard AccessRules.wouldLeaveNoAdministrator(before, changedTo: after) else { return }
    throw DomainError(
      .lastAdministrator,
      "\(name) is the last administrator of \(company.slug)",
      hint: "make somebody else an admin first: `fettle member role MEMBER admin --company \(company.slug)`"
    )
  }
}
