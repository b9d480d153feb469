internal import Domain
package import Engine
package import FoundationEssentials
internal import Postgres
package import Store

extension MaintenancePlans {
  /// Recomputes the due units of a meter's plans after the reading at which their interval began was corrected or
  /// withdrawn, unless a later reading confirms it: one that is no lower, on the same counter. The correction of an
  /// older reading moves no due date.
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
      return pipeline.rows(
        Self.dueUnits(of: plans, after: reading, company: company),
        UUID.self,
        String.self,
        Instant.self
      )
    }
    var changed = 0
    for (plan, units, known) in try due.all {
      _ = try records.update(
        acting,
        type: "maintenance.pm_plan",
        id: plan,
        fields: ["next_due_units": .string(units), "counted_at": .string(known.description)],
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

  /// Returns the query for the plans whose interval began with a reading and whose due units contradict it, with the
  /// correct units.
  ///
  /// The plan's computation knew the reading. The old units are those at which the interval began, or lower for a plan
  /// with anchor `fixed`, which counts from the units at which the completed entry was planned, plus as many intervals
  /// as are needed to exceed the reading.
  private static func dueUnits(of plans: [UUID], after reading: UUID, company: UUID) -> SQL {
    """
    with base as (
      select p.id, p.every_units, p.next_due_units, s.counted_value as units,
        case when p.anchor = 'fixed' then e.planned_units + w.shift end as planned_units
      from maintenance.meter_reading r
      join maintenance.pm_plan p on p.company_id = r.company_id and p.meter_id = r.meter_id
      left join maintenance.entry e
        on e.company_id = p.company_id and e.plan_id = p.id and e.completed_at = p.counted_from
          and e.deleted_at is null
      cross join lateral maintenance.meter_state(p.company_id, p.meter_id, p.counted_from) s
      cross join lateral maintenance.meter_state(p.company_id, p.meter_id, p.counted_from, 'infinity', e.created_at) w
      where r.company_id = \(company) and r.id = \(reading) and p.id = any (\(plans))
        and r.taken_at <= p.counted_from and r.created_at <= p.counted_at and s.counted_value is not null
        and not exists (
          select from maintenance.meter_reading l
          where l.company_id = r.company_id and l.meter_id = r.meter_id and l.taken_at > r.taken_at
            and l.deleted_at is null and l.value >= p.next_due_units - p.every_units
            and not exists (
              select from maintenance.meter_reading x
              where x.company_id = r.company_id and x.meter_id = r.meter_id and x.taken_at > r.taken_at
                and x.taken_at <= l.taken_at and x.deleted_at is null and x.is_reset
            )
        )
    ),
    wanted as (
      select b.id, b.next_due_units,
        case
          when b.planned_units is not null
          then b.planned_units
            + b.every_units * greatest(1, floor((b.units - b.planned_units) / b.every_units) + 1)
          else b.units + b.every_units
        end as units
      from base b
    )
    select w.id, w.units::text, now() from wanted w where w.units is distinct from w.next_due_units order by w.id
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
      and e.planned_units is not null and v.status_category = 'active' and not v.is_due
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
