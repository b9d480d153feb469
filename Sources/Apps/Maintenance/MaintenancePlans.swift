internal import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
package import Store

/// Preventive maintenance: creates entries for due plans, and computes the next due dates.
package struct MaintenancePlans: Sendable {
  let records: Records

  package init(_ records: Records) {
    self.records = records
  }

  /// Creates one entry for each due plan of the company that has no unfinished entry. A plan whose entry is refused
  /// holds up no other: the administrators get a notice of it, once for each due date.
  ///
  /// Due plans are locked and then read again, so that of two concurrent runs only one creates the entry of a
  /// plan. The unique index of open entries prevents duplicates in all other cases.
  ///
  /// - Parameters:
  ///   - last: the plan after which to begin, in the order of ids; nil for the first.
  ///   - limit: the maximum number of plans.
  /// - Returns: the number of created entries, and the last plan if there may be more.
  package func makeDueEntries(
    _ acting: ActingContext,
    after last: UUID?,
    limit: Int,
    in work: inout Work
  ) throws -> (made: Int, last: UUID?) {
    let company = acting.company.id
    try keepFirstReadings(acting, limit: limit, in: &work)
    let (_, due) = try work.read { pipeline in
      pipeline.rows(
        """
        select v.id from maintenance.v_pm_plan v
        where v.company_id = \(company) and v.needs_entry and (v.id > \(nullable: last)) is not false
        order by v.id
        limit \(limit)
        """,
        UUID.self
      )
    }
    let ids = try due.all
    guard !ids.isEmpty else { return (0, nil) }
    let plans = try work.readMore { pipeline in
      pipeline.execute(
        """
        select 1 from maintenance.pm_plan p
        where p.company_id = \(company) and p.id = any (\(ids))
        order by p.id
        for no key update
        """
      )
      return pipeline.rows(
        """
        select v.id, v.machine_id, v.category_id, v.title, v.estimated_hours::text, v.next_due_on::text,
          v.next_due_reading::text,
          (select max(h.seq) from core.history h
           where h.company_id = v.company_id and h.record_type = 'maintenance.pm_plan' and h.record_id = v.id)
        from maintenance.v_pm_plan v
        where v.company_id = \(company) and v.id = any (\(ids)) and v.needs_entry
        order by v.id
        """,
        as: DuePlan.self
      )
    }
    var made = 0
    var refused: [DuePlan] = []
    for plan in try plans.all {
      do {
        try records.contained(in: &work) { work in
          let id = work.newID()
          _ = try records.create(
            acting,
            type: MaintenanceEntry.typeName,
            id: id,
            fields: plan.fields,
            in: &work
          )
        }
        made += 1
      } catch is DomainError {
        refused.append(plan)
      }
    }
    if !refused.isEmpty {
      let untold = Self.untold(refused.map(\.plan), company: company)
      let ids = try work.readMore { $0.rows(untold, UUID.self) }.all
      for plan in refused where ids.contains(plan.plan) {
        work.changes.jobs.append(plan.notice(id: work.newID()))
      }
    }
    return (made, ids.count == limit ? ids.last : nil)
  }

  /// Returns the query for those of the plans of whose due date and units nobody was told. The unique key of the jobs
  /// covers notices that are still queued.
  private static func untold(_ plans: [UUID], company: UUID) -> SQL {
    """
    select p.id from maintenance.pm_plan p
    where p.company_id = \(company) and p.id = any (\(plans))
      and not exists (
        select from core.notification n
        where n.company_id = p.company_id and n.record_type = 'maintenance.pm_plan' and n.record_id = p.id
          and n.template = 'maintenance.plan_refused'
          and n.data ->> 'next_due_on' is not distinct from p.next_due_on::text
          and n.data ->> 'next_due_units' is not distinct from p.next_due_units::text
      )
    """
  }

  /// Stores the due units of plans whose meter has been read for the first time. Their interval begins at that reading.
  private func keepFirstReadings(_ acting: ActingContext, limit: Int, in work: inout Work) throws {
    let company = acting.company.id
    let (_, read) = try work.read { pipeline in
      pipeline.rows(
        """
        select p.id, (s.first_value + p.every_units)::text, f.taken_at, now()
        from maintenance.pm_plan p
        cross join lateral maintenance.meter_state(p.company_id, p.meter_id) s
        cross join lateral (
          select min(r.taken_at) as taken_at
          from maintenance.meter_reading r
          where r.company_id = p.company_id and r.meter_id = p.meter_id and r.deleted_at is null
        ) f
        where p.company_id = \(company) and p.meter_id is not null and p.next_due_units is null
          and p.status_category <> 'done' and p.deleted_at is null and s.first_value is not null
        order by p.id
        limit \(limit)
        """,
        UUID.self,
        String.self,
        Instant.self,
        Instant.self
      )
    }
    for (plan, units, since, known) in try read.all {
      let fields: JSONObject = [
        "next_due_units": .string(units), "counted_from": .string(since.description),
        "counted_at": .string(known.description),
      ]
      _ = try records.update(acting, type: "maintenance.pm_plan", id: plan, fields: fields, in: &work)
    }
    try work.writeRowsNow()
  }

  /// Computes the next due date and units of a completed entry's plan.
  ///
  /// Does nothing if the entry has no plan, has been reopened or deleted, or is not the last completed entry
  /// of its plan. Does nothing for an ended plan, or while the plan has an unfinished entry, whose completion
  /// computes the date. A repetition has no further effect.
  ///
  /// - Returns: true if the plan was changed.
  package func advance(_ acting: ActingContext, entry: UUID, in work: inout Work) throws -> Bool {
    let company = acting.company.id
    let (_, planOf) = try work.read { pipeline in
      pipeline.rows(
        """
        select e.plan_id from maintenance.entry e
        where e.company_id = \(company) and e.id = \(entry) and e.plan_id is not null and e.deleted_at is null
          and e.status_category = 'done' and e.completed_at is not null
        """,
        UUID.self
      )
    }
    guard let plan = try planOf.first else { return false }
    let due = try work.readMore { pipeline in
      pipeline.execute(
        """
        select 1 from maintenance.pm_plan p
        where p.company_id = \(company) and p.id = \(plan)
        for no key update
        """
      )
      return pipeline.rows(
        Self.next(after: entry, company: company, plan: plan),
        String?.self,
        String?.self,
        Instant?.self,
        Instant?.self
      )
    }
    guard let (on, units, since, known) = try due.first else { return false }
    let fields: JSONObject = [
      "next_due_on": on.map { .string($0) } ?? .null, "next_due_units": units.map { .string($0) } ?? .null,
      "counted_from": since.map { .string($0.description) } ?? .null,
      "counted_at": known.map { .string($0.description) } ?? .null,
    ]
    _ = try records.update(acting, type: "maintenance.pm_plan", id: plan, fields: fields, in: &work)
    return true
  }

  /// Returns the query for the next due date and units of a plan after the completion of an entry. It has no
  /// row if ``advance(_:entry:in:)`` has to do nothing.
  ///
  /// With anchor `completion`, an interval begins on the day of completion and at the meter's reading of that
  /// time. With anchor `fixed`, it begins at the planned date and units, plus as many intervals as are needed to
  /// be after the completion. The next date is always after the planned one: work that was done an interval too
  /// early, as a long lead time permits, skips the dates that it was done for.
  private static func next(after entry: UUID, company: UUID, plan: UUID) -> SQL {
    """
    with done as (
      select p.anchor, p.every_days, p.every_units,
        coalesce(e.planned_on, e.due_on, p.next_due_on) as wanted_on,
        least(coalesce(e.planned_on, e.due_on), p.next_due_on) as done_for,
        coalesce(e.planned_units + w.shift, p.next_due_units + s.shift) as wanted_units,
        (e.completed_at at time zone core.known_zone(c.timezone))::date as done_on,
        e.completed_at,
        s.counted_value as done_units
      from maintenance.pm_plan p
      join core.company c on c.id = p.company_id
      join maintenance.entry e on e.company_id = p.company_id and e.plan_id = p.id and e.id = \(entry)
      cross join lateral maintenance.meter_state(
        p.company_id, p.meter_id, e.completed_at, p.counted_from, p.counted_at
      ) s
      cross join lateral maintenance.meter_state(
        p.company_id, p.meter_id, e.completed_at, 'infinity', e.created_at
      ) w
      where p.company_id = \(company) and p.id = \(plan) and p.status_category <> 'done' and p.deleted_at is null
        and e.status_category = 'done' and e.completed_at is not null and e.deleted_at is null
        and not exists (
          select from maintenance.entry o
          where o.company_id = p.company_id and o.plan_id = p.id and o.status_category <> 'done'
            and o.deleted_at is null
        )
        and not exists (
          select from maintenance.entry o
          where o.company_id = p.company_id and o.plan_id = p.id and o.completed_at > e.completed_at
            and o.deleted_at is null
        )
    )
    select
      case
        when d.every_days is null then null
        when d.wanted_on is null then d.done_on + d.every_days
        when d.anchor = 'completion'
        then d.done_on + d.every_days * greatest(1, (d.done_for - d.done_on) / d.every_days + 1)
        else d.wanted_on + d.every_days * greatest(1, (d.done_on - d.wanted_on) / d.every_days + 1)
      end::text,
      case
        when d.every_units is null or d.done_units is null then null
        when d.anchor = 'completion' or d.wanted_units is null then d.done_units + d.every_units
        else d.wanted_units
          + d.every_units * greatest(1, floor((d.done_units - d.wanted_units) / d.every_units) + 1)
      end::text,
      case when d.every_units is not null then d.completed_at end,
      case when d.every_units is not null then now() end
    from done d
    """
  }
}

/// A due plan, with the fields that its entry copies.
private struct DuePlan: RowDecodable, Sendable {
  let fields: JSONObject
  let plan: UUID
  /// The number of the plan's newest entry in the history.
  private let historySeq: Int64
  /// The due date and units, for the key of the notice.
  private let due: String

  init(row: inout RowReader) throws(PostgresError) {
    plan = try row.next()
    let machine: UUID = try row.next()
    let category: UUID = try row.next()
    let title: String = try row.next()
    let hours: String = try row.next()
    let on: String? = try row.next()
    let units: String? = try row.next()
    historySeq = try row.next()
    due = "\(on ?? ""):\(units ?? "")"
    let columns: [(MaintenanceEntry.CodingKeys, String?)] = [
      (.planID, plan.text), (.machineID, machine.text), (.categoryID, category.text), (.summary, title),
      (.estimatedHours, hours), (.dueOn, on), (.plannedOn, on), (.plannedUnits, units),
    ]
    var fields: JSONObject = [:]
    for (column, value) in columns { if let value { fields[column.rawValue] = .string(value) } }
    self.fields = fields
  }

  /// Tells the administrators that the plan is due and its entry was refused.
  func notice(id: UUID) -> NewJob {
    NewJob(
      id: id,
      kind: "notify.send",
      payload: JSON(
        [
          "to": "role:admin", "template": "maintenance.plan_refused", "record_type": "maintenance.pm_plan",
          "record_id": .string(plan.text), "history_seq": .integer(historySeq),
        ] as JSONObject
      ),
      cause: ("maintenance.pm_plan", plan),
      uniqueKey: "plan_refused:\(plan.text):\(due)"
    )
  }
}
