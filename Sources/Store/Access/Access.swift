package import Domain
package import FoundationEssentials
package import Postgres

/// The company, the member and their permissions, read by the first statement of every unit of work.
///
/// Permissions are read in the transaction that writes. A change of rights therefore applies to every
/// transaction that begins after it.
package struct Access: RowDecodable, Sendable {
  package let companySlug: String
  package let companyStatus: CompanyStatus
  package let timeZone: String
  /// The member's role; nil for an operator, for the system, and for a user who is not a member.
  package let role: String?
  /// The member's status; nil if ``role`` is nil.
  package let memberStatus: MemberStatus?
  package let userName: String?
  /// True if an operator disabled the person in all companies.
  package let isDisabled: Bool
  /// The time of the transaction, used for all time stamps of the unit of work.
  package let now: Instant
  /// Today's date in the company's time zone.
  package let today: LocalDate
  /// The permissions of the role, including those of apps that are not in ``apps``.
  package private(set) var permissions: [String]
  /// The enabled apps; nil for all installed ones.
  package let apps: [String]?
  /// Incremented when the company changes its workflow versions or overlays.
  package let workflowRevision: Int64
  /// True if the company has an active webhook.
  package let hasWebhooks: Bool
  /// False if the session or token of the request has ended; true without one.
  package let isCredentialValid: Bool
  /// The number of changes of the installed types and workflows; see ``TypeCatalogue/number``.
  package let catalogueNumber: Int64
  /// Identifies the timeline of the data, and so voids ETags after a restore from a backup.
  package let epoch: UUID

  package init(row: inout RowReader) throws(PostgresError) {
    companySlug = try row.next()
    companyStatus = CompanyStatus(stored: try row.next())
    timeZone = try row.next()
    role = try row.next()
    let status: String? = try row.next()
    memberStatus = status.map(MemberStatus.init(stored:))
    userName = try row.next()
    let userStatus: String? = try row.next()
    isDisabled = userStatus.map { $0 != "active" } ?? false
    now = try row.next()
    today = try row.next()
    let read: [String]? = try row.next()
    permissions = read ?? []
    apps = try row.next()
    workflowRevision = try row.next()
    hasWebhooks = try row.next()
    isCredentialValid = try row.next()
    catalogueNumber = try row.next()
    epoch = try row.next()
  }

  /// Returns the statement that reads it.
  package static func query(_ context: WorkContext) -> SQL {
    query(company: "\(context.company)", user: "\(nullable: context.user)", credential: context.credential)
  }

  /// Returns the statement that reads it without the permissions that a catalogue has.
  fileprivate static func query(_ context: WorkContext, besides known: TypeCatalogue) -> SQL {
    query(
      company: "\(context.company)",
      user: "\(nullable: context.user)",
      credential: context.credential,
      permissions: """
        case when i.catalogue <> \(known.number) or m.role <> all (\(known.grants.keys.sorted())) then \(permissions) end
        """
    )
  }

  /// The same statement for the company and user of the transaction, to run after `core.enter_company`.
  package static let queryEntered = query(
    company: "(select core.current_company())",
    user: "(select core.current_user_id())"
  )

  /// The permissions of a built-in role, or of one of the company's own, whose names differ from those.
  private static let permissions: SQL = """
    array(
      select g.permission from core.builtin_grant g where g.role = m.role
      union all
      select p.permission from core.role_permission p
      where p.company_id = c.id and p.role = m.role
    )
    """

  private static func query(
    company: SQL,
    user: SQL,
    credential: Credential? = nil,
    permissions: SQL = permissions
  ) -> SQL {
    """
    select c.slug, c.status, c.timezone, m.role, m.status, u.name, u.status,
      now(), (now() at time zone core.known_zone(c.timezone))::date,
      \(permissions),
      \(CompanyStore.enabledApps), c.workflow_revision,
      exists (select from core.webhook w where w.company_id = c.id and w.active),
      \(credential?.isValid(in: company) ?? "true"), i.catalogue, i.epoch
    from core.company c
    cross join core.installation i
    left join core.membership m on m.company_id = c.id and m.user_id = \(user)
    left join core.app_user u on u.id = m.user_id
    where c.id = \(company)
    """
  }

  /// Returns the membership of the queried user; nil if there is none. A person who is disabled in all
  /// companies counts as suspended.
  package func member(_ user: UUID?) -> Member? {
    guard let user, let role, let memberStatus else { return nil }
    return Member(user: user, role: role, status: isDisabled ? .suspended : memberStatus)
  }
}

/// Rights that are asked for in a pipeline. A built-in role has some 150 permissions, so those that the process knows are
/// not sent again: they are the same in all companies, and change with the number of the catalogue.
package struct AccessTicket {
  private let ticket: Ticket<Access>
  private let known: TypeCatalogue

  /// Queues the statement.
  package init(_ context: WorkContext, _ known: TypeCatalogue, _ pipeline: inout Pipeline) {
    self.known = known
    ticket = pipeline.rows(Access.query(context, besides: known), as: Access.self)
  }

  /// The rights; nil if there is no such company.
  package var first: Access? {
    get throws { try ticket.first?.completed(from: known) }
  }
}

extension Access {
  fileprivate func completed(from known: TypeCatalogue) -> Access {
    guard catalogueNumber == known.number, let role, let grants = known.grants[role] else { return self }
    var access = self
    access.permissions = grants
    return access
  }
}
