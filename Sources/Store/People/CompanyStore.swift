package import Domain
package import FoundationEssentials
package import Postgres

/// A row of `core.company`.
package struct CompanyRow: RowDecodable, Sendable {
  package let id: UUID
  package let slug: String
  package let name: String
  package let kind: String
  package let timeZone: String
  package let status: CompanyStatus
  package let createdAt: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    slug = try row.next()
    name = try row.next()
    kind = try row.next()
    timeZone = try row.next()
    status = CompanyStatus(stored: try row.next())
    createdAt = try row.next()
  }

  /// Refuses the engine's own company, whose rows concern all others.
  ///
  /// - Throws: `invalid_input`.
  package func requireOrdinary() throws(DomainError) {
    guard kind == CompanyKind.system.rawValue else { return }
    throw DomainError(
      .invalidInput,
      "\(slug) is the engine's own company and cannot be changed, exported or erased",
      hint: "list the others with `fettle company list`"
    )
  }
}

/// The global table of companies. An operator sees all rows, a member their own.
package enum CompanyStore {
  /// The columns of a company `c`, as ``CompanyRow`` reads them.
  package static let columns: SQL = "c.id, c.slug, c.name, c.kind, c.timezone, c.status, c.created_at"

  /// The query for the company that `core.enter_company` has entered in the same transaction.
  package static let entered: SQL =
    "select \(columns) from core.company c where c.id = (select core.current_company())"

  /// The enabled apps of a company `c` as an array; null for all installed apps.
  static let enabledApps: SQL = """
    case when not c.uses_all_apps then array(
      select a.app from core.company_app a where a.company_id = c.id order by a.app
    ) end
    """

  /// Returns all companies except the system company and erased ones, sorted by slug.
  package static func all(_ tx: Transaction) throws -> [CompanyRow] {
    try tx.rows(
      "select \(columns) from core.company c where c.kind <> 'system' and c.status <> 'erased' order by c.slug",
      as: CompanyRow.self
    )
  }

  /// Returns the company with a slug; nil if the caller can see none.
  package static func find(slug: String, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first("select \(columns) from core.company c where c.slug = \(slug)", as: CompanyRow.self)
  }

  /// Returns the company with an id; nil if the caller can see none.
  package static func find(id: UUID, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first("select \(columns) from core.company c where c.id = \(id)", as: CompanyRow.self)
  }

  /// Locks the row of a company and returns it; nil if the caller can see none. Company, member and role
  /// commands take this lock first. Otherwise two of them could each rely on an owner whom the other one
  /// removes.
  package static func lock(id: UUID, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first(
      "select \(columns) from core.company c where c.id = \(id) for no key update",
      as: CompanyRow.self
    )
  }

  /// Inserts a company with its gate, its copies of the built-in roles, and the newest version of each
  /// workflow.
  ///
  /// - Parameter apps: the enabled apps; nil for all installed ones, including later ones.
  package static func insert(
    id: UUID,
    slug: String,
    name: String,
    kind: String,
    timeZone: String,
    apps: [String]?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.company (id, slug, name, kind, timezone, status, uses_all_apps)
      values (\(id), \(slug), \(name), \(kind), \(timeZone), 'active', \(apps == nil))
      """
    )
    try furnish(id, apps: apps, tx)
  }

  /// Inserts the company of a person who signs up, like ``insert(id:slug:name:kind:timeZone:apps:_:)``. The
  /// transaction must be inside the new company.
  ///
  /// - Returns: false if the slug is taken.
  package static func signUp(
    id: UUID,
    slug: String,
    name: String,
    kind: CompanyKind,
    timeZone: String,
    apps: [String]?,
    _ tx: Transaction
  ) throws -> Bool {
    let isNew = try tx.value(
      "select core.create_company(\(id), \(slug), \(name), \(kind.rawValue), \(timeZone), \(apps == nil))",
      as: Bool.self
    )
    if isNew { try furnish(id, apps: apps, tx) }
    return isNew
  }

  /// Inserts the rows that every company has.
  private static func furnish(_ id: UUID, apps: [String]?, _ tx: Transaction) throws {
    for app in apps ?? [] { try CompanyAppStore.enable(app, company: id, tx) }
    try tx.execute("insert into core.sync_gate (company_id, floor) values (\(id), 0)")
    try tx.execute(
      """
      insert into core.role (company_id, name, label, built_in)
      select \(id), r.name, r.label, true from core.builtin_role r
      """
    )
    try WorkflowStore.followNewest(company: id, tx)
  }

  /// Changes the status of a company; its timers and schedules are suspended while it is not active.
  package static func setStatus(_ status: CompanyStatus, id: UUID, _ tx: Transaction) throws {
    try tx.execute("update core.company set status = \(status.rawValue), updated_at = now() where id = \(id)")
    try CompanyAppStore.holdTimedWork(company: id, tx)
  }
}
