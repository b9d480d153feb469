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
  package let createdAt: Timestamp

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    slug = try row.next()
    name = try row.next()
    kind = try row.next()
    timeZone = try row.next()
    status = CompanyStatus(stored: try row.next())
    createdAt = try row.next()
  }
}

/// Companies: a global table. An operator sees every row, a member their own.
package enum CompanyStore {
  private static let columns: SQL = "c.id, c.slug, c.name, c.kind, c.timezone, c.status, c.created_at"

  /// The company that `core.enter_company` has entered in the same transaction.
  package static let entered: SQL =
    "select \(columns) from core.company c where c.id = (select core.current_company())"

  /// The enabled apps of a company `c` as an array; null if every installed one is.
  static let enabledApps: SQL = """
    case when not c.uses_all_apps then array(
      select a.app from core.company_app a where a.company_id = c.id order by a.app
    ) end
    """

  /// Every company but the reserved one of the system, by name.
  package static func all(_ tx: Transaction) throws -> [CompanyRow] {
    try tx.rows(
      "select \(columns) from core.company c where c.kind <> 'system' order by c.slug",
      as: CompanyRow.self
    )
  }

  /// The company with a slug, if there is one that the caller may see.
  package static func find(slug: String, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first("select \(columns) from core.company c where c.slug = \(slug)", as: CompanyRow.self)
  }

  /// The company with an id.
  package static func find(id: UUID, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first("select \(columns) from core.company c where c.id = \(id)", as: CompanyRow.self)
  }

  /// Locks the company's row. Member, role and company commands take this lock first, so that two of them cannot
  /// both find an owner who the other one removes.
  package static func lock(id: UUID, _ tx: Transaction) throws -> CompanyRow? {
    try tx.first(
      "select \(columns) from core.company c where c.id = \(id) for no key update",
      as: CompanyRow.self
    )
  }

  /// Whether PostgreSQL knows a time zone by this name.
  package static func knowsTimeZone(_ name: String, _ tx: Transaction) throws -> Bool {
    try tx.value("select exists (select from pg_timezone_names z where z.name = \(name))", as: Bool.self)
      == true
  }

  /// The names of all time zones, for a suggestion after a mistyped one.
  package static func timeZones(_ tx: Transaction) throws -> [String] {
    try tx.rows("select z.name from pg_timezone_names z where z.name like '%/%'", String.self)
  }

  /// Writes a new company with its gate and its copies of the built-in roles.
  ///
  /// - Parameter apps: the enabled apps; nil for every installed one, later ones included.
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

  /// Changes the name and the time zone of a company; nil leaves a value.
  package static func describe(name: String?, timeZone: String?, id: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.company
      set name = coalesce(\(nullable: name), name), timezone = coalesce(\(nullable: timeZone), timezone),
        updated_at = now()
      where id = \(id)
      """
    )
  }

  /// Moves a company to another status; its timers and schedules are held while it is not active.
  package static func setStatus(_ status: CompanyStatus, id: UUID, _ tx: Transaction) throws {
    try tx.execute("update core.company set status = \(status.rawValue), updated_at = now() where id = \(id)")
    try CompanyAppStore.holdTimedWork(company: id, tx)
  }
}
