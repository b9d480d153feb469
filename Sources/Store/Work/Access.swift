internal import Domain
package import Postgres

/// What the first statement of every unit of work reads: the company, the member, and their rights at this moment.
///
/// Rights are read in the transaction that writes; a change of rights therefore holds for every transaction that
/// begins after it.
package struct Access: RowDecodable, Sendable {
  package let companySlug: String
  package let companyStatus: String
  package let timeZone: String
  /// The member's role; nil for an operator or the system.
  package let role: String?
  package let memberStatus: String?
  package let userName: String?
  package let userStatus: String?
  /// The transaction's time: every stamp of the unit of work is this one.
  package let now: Timestamp
  /// The day it is where the company is.
  package let today: CalendarDate
  /// What the role may do.
  package let permissions: [String]
  /// Grows when the company begins to follow other workflows than before.
  package let workflowRevision: Int64

  package init(row: inout RowReader) throws(PostgresError) {
    companySlug = try row.next()
    companyStatus = try row.next()
    timeZone = try row.next()
    role = try row.next()
    memberStatus = try row.next()
    userName = try row.next()
    userStatus = try row.next()
    now = try row.next()
    today = try row.next()
    permissions = try row.next()
    workflowRevision = try row.next()
  }

  /// The statement that reads it.
  package static func query(_ context: WorkContext) -> SQL {
    """
    select c.slug, c.status, c.timezone, m.role, m.status, u.name, u.status,
      now(), (now() at time zone c.timezone)::date,
      array(
        select g.permission from core.builtin_grant g
        join core.role r on r.company_id = c.id and r.name = g.role and r.built_in
        where g.role = m.role
        union all
        select p.permission from core.role_permission p
        where p.company_id = c.id and p.role = m.role
      ),
      c.workflow_revision
    from core.company c
    left join core.membership m on m.company_id = c.id and m.user_id = \(nullable: context.user)
    left join core.app_user u on u.id = m.user_id
    where c.id = \(context.company)
    """
  }
}
