internal import Domain
package import FoundationEssentials
package import Postgres

/// A company as its row says.
package struct CompanyRow: RowDecodable, Sendable {
  package let id: UUID
  package let slug: String
  package let name: String
  package let kind: String
  package let timeZone: String
  package let status: String
  package let createdAt: Timestamp

  package init(row: inout RowReader) throws(PostgresError) {
    id = try row.next()
    slug = try row.next()
    name = try row.next()
    kind = try row.next()
    timeZone = try row.next()
    status = try row.next()
    createdAt = try row.next()
  }
}

/// Companies: a global table in which an operator sees all and a member sees their own.
package enum CompanyStore {
  private static let columns: SQL = "c.id, c.slug, c.name, c.kind, c.timezone, c.status, c.created_at"

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

  /// Locks the company's row: member, role and company commands take it first, so that two of them cannot
  /// both believe an administrator remains.
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
  package static func insert(
    id: UUID,
    slug: String,
    name: String,
    kind: String,
    timeZone: String,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      insert into core.company (id, slug, name, kind, timezone, status)
      values (\(id), \(slug), \(name), \(kind), \(timeZone), 'active')
      """
    )
    try tx.execute("insert into core.sync_gate (company_id, floor) values (\(id), 0)")
    try tx.execute(
      """
      insert into core.role (company_id, name, label, built_in)
      select \(id), r.name, r.label, true from core.builtin_role r
      """
    )
    try WorkflowStore.followNewest(company: id, tx)
  }

  /// Changes what a company is called and where it is; nil leaves it as it is.
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

  /// Moves a company to another status of its life; its timers and schedules rest while it is not active.
  package static func setStatus(_ status: String, id: UUID, _ tx: Transaction) throws {
    try tx.execute("update core.company set status = \(status), updated_at = now() where id = \(id)")
    try TimerStore.hold(status != "active", company: id, tx)
    try ScheduleStore.hold(status != "active", company: id, tx)
  }
}
