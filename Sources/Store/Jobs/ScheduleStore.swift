package import FoundationEssentials
package import Postgres

/// A due schedule, locked by the transaction that fires it.
package struct DueSchedule: RowDecodable, Sendable {
  package let company: UUID
  package let name: String
  package let kind: String
  package let cron: String
  /// The schedule's own time zone; nil for the company's.
  package let timeZone: String?
  /// The due time; `distantPast` if it has to be computed.
  package let dueAt: Instant
  /// The transaction's time.
  package let now: Instant

  package init(row: inout RowReader) throws(PostgresError) {
    company = try row.next()
    name = try row.next()
    kind = try row.next()
    cron = try row.next()
    timeZone = try row.next()
    dueAt = try row.next()
    now = try row.next()
  }
}

/// A company's schedule, for lists.
package struct ScheduleRow: RowDecodable, Sendable {
  package let name: String
  package let app: String
  package let kind: String
  package let cron: String
  /// The schedule's own time zone, or else the company's.
  package let timeZone: String
  /// The next due time; nil if it is not computed yet, or if the schedule is never due.
  package let nextAt: Instant?
  package let lastAt: Instant?
  package let lastJob: UUID?
  package let pausedAt: Instant?
  /// True if the schedule is suspended because the company is not active or the app is not enabled.
  package let isHeld: Bool

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    app = try row.next()
    kind = try row.next()
    cron = try row.next()
    timeZone = try row.next()
    nextAt = try row.next()
    lastAt = try row.next()
    lastJob = try row.next()
    pausedAt = try row.next()
    isHeld = try row.next()
  }
}

/// The schedules of all companies, which workers can read without entering a company.
package enum ScheduleStore {
  /// The name in place of the app for a schedule that the company has made itself. No app can have it.
  package static let own = "-"

  /// Locks and returns the schedule that has been due longest and that no other worker holds; nil if there is
  /// none.
  ///
  /// - Parameter offset: added to the database's time; no other clock is read.
  package static func claim(offset: Duration = .zero, _ tx: Transaction) throws -> DueSchedule? {
    try tx.first(
      """
      select s.company_id, s.name, s.kind, s.cron, s.timezone, s.next_at,
        now() + make_interval(secs => \(offset.seconds))
      from core.schedule s
      where s.next_at <= now() + make_interval(secs => \(offset.seconds)) and s.paused_at is null and not s.held
      order by s.next_at
      limit 1
      for update skip locked
      """,
      as: DueSchedule.self
    )
  }

  /// Stores the next due time of a schedule and, if the schedule has fired, the due time and the job.
  package static func advance(
    _ schedule: DueSchedule,
    next: Instant,
    zone: String,
    fired: (at: Instant, job: UUID)?,
    _ tx: Transaction
  ) throws {
    try tx.execute(
      """
      update core.schedule
      set next_at = \(next), computed_zone = \(zone), last_at = coalesce(\(nullable: fired?.at), last_at),
          last_job_id = coalesce(\(nullable: fired?.job), last_job_id)
      where company_id = \(schedule.company) and name = \(schedule.name)
      """
    )
  }

  /// Postpones a schedule that could not be fired by one minute, so that it does not block others.
  package static func postpone(_ schedule: DueSchedule, _ tx: Transaction) throws {
    try tx.execute(
      """
      update core.schedule set next_at = \(schedule.now) + interval '1 minute'
      where company_id = \(schedule.company) and name = \(schedule.name) and next_at <= \(schedule.now)
      """
    )
  }

  /// Makes a company's schedules equal to those of the installed apps: adds, changes and deletes schedules.
  /// The next due time of a schedule is computed again if the schedule or its time zone has changed.
  package static func reconcile(company: UUID, _ tx: Transaction) throws {
    try tx.pipeline { pipeline in
      pipeline.execute(
        """
        insert into core.schedule as s (company_id, name, app, kind, cron, timezone, held)
        select \(company), d.name, d.app, d.kind, d.cron, d.timezone, c.status <> 'active'
        from core.app_schedule d
        join core.company c on c.id = \(company)
        where d.app = 'core' or exists (select from core.app a where a.name = d.app)
        on conflict (company_id, name) do update
        set app = excluded.app, kind = excluded.kind, cron = excluded.cron, timezone = excluded.timezone,
            next_at = '-infinity'
        where (s.app, s.kind, s.cron) <> (excluded.app, excluded.kind, excluded.cron)
          or s.timezone is distinct from excluded.timezone
        """
      )
      pipeline.execute(
        """
        delete from core.schedule s
        where s.company_id = \(company) and s.app <> \(own) and not exists (
          select from core.app_schedule d
          where d.name = s.name and (d.app = 'core' or exists (select from core.app a where a.name = d.app))
        )
        """
      )
      pipeline.execute(
        """
        update core.schedule s set next_at = '-infinity'
        from core.company c
        where s.company_id = \(company) and c.id = s.company_id and s.next_at > '-infinity'
          and s.computed_zone is distinct from coalesce(s.timezone, c.timezone)
        """
      )
    }
  }

  /// Returns the schedules of a company, by name: its own, and those that the installed apps declare, also before a
  /// worker has stored them for the company.
  package static func all(company: UUID, _ tx: Transaction) throws -> [ScheduleRow] {
    try tx.rows(
      """
      select r.name, r.app, r.kind, r.cron, coalesce(r.timezone, c.timezone),
        case when isfinite(s.next_at) and s.cron = r.cron then s.next_at end, s.last_at, s.last_job_id, s.paused_at,
        \(CompanyAppStore.isAtRest)
      from core.company c
      cross join lateral (
        select d.name, d.app, d.kind, d.cron, d.timezone from core.app_schedule d
        union all
        select o.name, o.app, o.kind, o.cron, o.timezone from core.schedule o
        where o.company_id = c.id and o.app = \(own)
      ) r
      left join core.schedule s on s.company_id = c.id and s.name = r.name
      where c.id = \(company) and (r.app in ('core', \(own)) or exists (select from core.app a where a.name = r.app))
      order by r.name
      """,
      as: ScheduleRow.self
    )
  }

  /// Adds a schedule of the company's own; false if the name is taken or the company has as many as
  /// `limit`.
  package static func add(
    company: UUID,
    name: String,
    kind: String,
    cron: String,
    timeZone: String?,
    limit: Int,
    _ tx: Transaction
  ) throws -> Bool {
    try tx.execute(
      """
      insert into core.schedule (company_id, name, app, kind, cron, timezone)
      select \(company), \(name), \(own), \(kind), \(cron), \(nullable: timeZone)
      where (select count(*) from core.schedule where company_id = \(company) and app = \(own)) < \(limit)
      on conflict (company_id, name) do nothing
      """
    ) == 1
  }

  /// Removes a schedule of the company's own; false if there is none of the name.
  package static func remove(company: UUID, name: String, _ tx: Transaction) throws -> Bool {
    try tx.execute(
      "delete from core.schedule where company_id = \(company) and name = \(name) and app = \(own)"
    ) == 1
  }

  /// Pauses or resumes a schedule. Due times that pass while it is paused are skipped.
  ///
  /// - Returns: false if there is no such schedule, or if it was in that state already.
  package static func pause(_ isPaused: Bool, company: UUID, name: String, _ tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      update core.schedule
      set paused_at = case when \(isPaused) then now() end,
          next_at = case when \(isPaused) then next_at else '-infinity' end
      where company_id = \(company) and name = \(name) and (paused_at is null) = \(isPaused)
      """
    ) == 1
  }
}
