package import FoundationEssentials
package import Postgres

/// An installed app, and its use by a company.
package struct CompanyAppRow: RowDecodable, Sendable {
  package let app: String
  /// True if the company uses the app, so that its roles hold the app's permissions.
  package let isEnabled: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    app = try row.next()
    isEnabled = try row.next()
  }
}

/// The apps of a company: all installed apps until the company chooses, then the enabled ones.
package enum CompanyAppStore {
  /// Returns all installed apps by name, with their use by the company.
  package static func all(company: UUID, _ tx: Transaction) throws -> [CompanyAppRow] {
    try tx.rows(
      """
      select a.name, c.uses_all_apps or exists (
          select from core.company_app e where e.company_id = c.id and e.app = a.name
        )
      from core.app a
      cross join core.company c
      where c.id = \(company)
      order by a.name
      """,
      as: CompanyAppRow.self
    )
  }

  /// Replaces the use of all installed apps by a list of the apps that are installed now, so that one of them
  /// can be disabled. Does nothing if the company has a list already.
  package static func choose(company: UUID, _ tx: Transaction) throws {
    let wasOpen = try tx.execute(
      "update core.company set uses_all_apps = false, updated_at = now() where id = \(company) and uses_all_apps"
    )
    guard wasOpen == 1 else { return }
    try tx.execute(
      """
      insert into core.company_app (company_id, app)
      select \(company), a.name from core.app a
      on conflict do nothing
      """
    )
  }

  /// Enables an app.
  package static func enable(_ app: String, company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      "insert into core.company_app (company_id, app) values (\(company), \(app)) on conflict do nothing"
    )
  }

  /// Suspends the timers and schedules of a company that is not active and of apps that are not enabled, and
  /// resumes all others.
  package static func holdTimedWork(company: UUID, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.timer t
      set held = x.held
      from (
        select r.name, \(isAtRest) as held
        from core.company c
        cross join core.record_type r
        where c.id = \(company)
      ) x
      where t.company_id = \(company) and t.record_type = x.name and t.held <> x.held
      """
    )
    try tx.execute(
      """
      update core.schedule s
      set held = x.held
      from (
        select r.name, r.app, \(isAtRest) as held
        from core.company c
        join core.schedule r on r.company_id = c.id
        where c.id = \(company)
      ) x
      where s.company_id = \(company) and s.name = x.name and s.held <> x.held
      """
    )
  }

  /// The condition that the timers and schedules of an app `r.app` are suspended in a company `c`.
  static let isAtRest: SQL = """
    c.status <> 'active' or not (c.uses_all_apps or r.app in ('core', '-') or exists (
      select from core.company_app e where e.company_id = c.id and e.app = r.app
    ))
    """
}
