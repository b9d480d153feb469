internal import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
package import Store

extension MaintenancePlans {
  /// Recomputes the due units of a meter's plans after one of its readings was corrected or withdrawn.
  ///
  /// Then deletes entries that plans created because of a wrong reading. Entries that somebody has changed,
  /// logged hours on or commented on are kept.
  ///
  /// - Parameter reading: the reading, which may be deleted.
  /// - Returns: the number of changed plans and deleted entries.
  package func recompute(_ acting: ActingContext, reading: UUID, in work: inout Work) throws -> Int {
    let company = acting.company.id
    let (_, tickets) = try work.read { pipeline in
      pipeline.rows(
        """
        select p.id
        from maintenance.meter_reading r
        join maintenance.pm_plan p on p.company_id = r.company_id and p.meter_id = r.meter_id
        where r.company_id = \(company) and r.id = \(reading) and p.status_category <> 'done' and p.deleted_at is null
        order by p.id
        """,
        UUID.self
      )
    }
    let plans = try tickets.all
    guard !plans.isEmpty else { return 0 }
    let due = try work.readMore { pipeline in
      pipeline.execute(
        """
        select 1 from maintenance.pm_plan p
        where p.company_id = \(company) and p.id = any (\(plans))
        order by p.id
        for no key update
        """
      )
      return pipeline.rows(Self.dueUnits(of: plans, company: company), UUID.self, String.self)
    }
    var changed = 0
    for (plan, units) in try due.all {
      _ = try records.update(
        acting,
        type: "maintenance.pm_plan",
        id: plan,
        fields: ["next_due_units": .string(units)],
        in: &work
      )
      changed += 1
    }
    // The plans as changed above determine which entries are needed.
    try work.writeRowsNow()
    for entry in try work.readMore({ $0.rows(Self.unwanted(of: plans, company: company), UUID.self) }).all {
      _ = try records.delete(
        acting,
        type: "maintenance.entry",
        id: entry,
        comment: "a meter reading was corrected, and the plan is not due",
        in: &work
      )
      changed += 1
    }
    return changed
  }

  /// Returns the query for the plans whose due units contradict the readings, with the correct units.
  ///
  /// The interval begins at the running total of the last completion, or of the time when the plan got its
  /// meter, whichever is later. After a completion, a plan with anchor `fixed` counts from the units at which
  /// the completed entry was planned, plus as many intervals as are needed to exceed that running total.
  private static func dueUnits(of plans: [UUID], company: UUID) -> SQL {
    """
    with base as (
      select p.id, p.anchor, p.every_units, p.next_due_units, e.planned_units,
        e.completed_at is not null and e.completed_at >= s.since as is_after_entry,
        (
          select coalesce(sum(x.step), 0)
          from (
            select case
                     when lag(r.value) over w is null then 0
                     when r.is_reset or r.value < lag(r.value) over w then r.value
                     else r.value - lag(r.value) over w
                   end as step
            from maintenance.meter_reading r
            where r.company_id = p.company_id and r.meter_id = p.meter_id and r.deleted_at is null
              and r.taken_at <= greatest(e.completed_at, s.since)
            window w as (order by r.taken_at)
          ) x
        ) as units
      from maintenance.pm_plan p
      cross join lateral (
        select coalesce(max(h.occurred_at), p.created_at) as since
        from core.history h
        where h.company_id = p.company_id and h.record_type = 'maintenance.pm_plan' and h.record_id = p.id
          and (h.seq = 1 or h.changes ? 'meter_id')
      ) s
      left join lateral (
        select o.completed_at, o.planned_units
        from maintenance.entry o
        where o.company_id = p.company_id and o.plan_id = p.id and o.status_category = 'done'
          and o.completed_at is not null and o.deleted_at is null
        order by o.completed_at desc
        limit 1
      ) e on true
      where p.company_id = \(company) and p.id = any (\(plans))
    ),
    wanted as (
      select b.id, b.next_due_units,
        case
          when b.is_after_entry and b.anchor = 'fixed' and b.planned_units is not null
          then b.planned_units
            + b.every_units * greatest(1, floor((b.units - b.planned_units) / b.every_units) + 1)
          else b.units + b.every_units
        end as units
      from base b
    )
    select w.id, w.units::text from wanted w where w.units is distinct from w.next_due_units order by w.id
    """
  }

  /// Returns the query for unchanged entries that plans created because of their meter, although they are not
  /// due.
  private static func unwanted(of plans: [UUID], company: UUID) -> SQL {
    """
    select e.id
    from maintenance.entry e
    join maintenance.v_pm_plan v on v.company_id = e.company_id and v.id = e.plan_id
    join core.company c on c.id = e.company_id
    where e.company_id = \(company) and e.plan_id = any (\(plans))
      and e.status_category = 'open' and e.deleted_at is null
      and e.version = 1 and e.created_by is null
      and e.planned_units is not null and v.total_units < v.next_due_units
      and not coalesce(v.next_due_on - v.lead_days <= (now() at time zone core.known_zone(c.timezone))::date, false)
      and not exists (
        select from maintenance.time_entry t
        where t.company_id = e.company_id and t.entry_id = e.id and t.deleted_at is null
      )
      and not exists (
        select from core.comment k
        where k.company_id = e.company_id and k.record_type = 'maintenance.entry' and k.record_id = e.id
          and k.deleted_at is null
      )
    order by e.id
    """
  }
}
