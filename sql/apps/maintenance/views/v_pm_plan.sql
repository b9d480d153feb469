-- Preventive plans, with flags for plans that are due and for those that need a new entry.
create view maintenance.v_pm_plan with (security_invoker = true) as
select
  p.company_id, p.id, p.version,
  p.created_by, p.created_at, p.updated_by, p.updated_at, p.client_created_at,
  p.machine_id, p.category_id, p.title, p.estimated_hours,
  p.every_days, p.meter_id, p.every_units, p.anchor, p.lead_days,
  p.starts_on, p.next_due_on, p.next_due_units, p.counted_from, p.counted_at,
  p.status, p.status_category,
  o.has_open_entry,
  a.is_active
    and (coalesce(p.next_due_on <= d.today, false) or coalesce(u.counted_value >= n.reading, false)) as is_due,
  a.is_active
    and not o.has_open_entry
    and (coalesce(p.next_due_on - p.lead_days <= d.today, false) or coalesce(u.counted_value >= n.reading, false))
    as needs_entry,
  m.code as machine_code,
  k.name as category_name,
  v.name as meter_name,
  v.unit as meter_unit,
  v.total_units,
  v.last_value as meter_reading,
  n.reading as next_due_reading
from maintenance.pm_plan p
join core.company c on c.id = p.company_id
join maintenance.machine m on m.company_id = p.company_id and m.id = p.machine_id
join maintenance.category k on k.company_id = p.company_id and k.id = p.category_id
left join maintenance.v_meter v on v.company_id = p.company_id and v.id = p.meter_id
cross join lateral (select (now() at time zone core.known_zone(c.timezone))::date as today) d
cross join lateral (
  select p.status_category = 'active' and m.status_category <> 'done' and m.deleted_at is null as is_active
) a
left join lateral maintenance.meter_state(p.company_id, v.id, 'infinity', p.counted_from, p.counted_at) u on true
-- A plan of a meter that was never read counts from its first reading.
cross join lateral (select coalesce(p.next_due_units, u.first_value + p.every_units) + u.shift as reading) n
cross join lateral (
  select exists (
    select from maintenance.entry e
    where e.company_id = p.company_id
      and e.plan_id = p.id
      and e.status_category <> 'done'
      and e.deleted_at is null
  ) as has_open_entry
) o
where p.deleted_at is null;

comment on column maintenance.v_pm_plan.has_open_entry is 'True if an entry of the plan is not done.';
comment on column maintenance.v_pm_plan.is_due is
  'True if the plan is due today or by its meter: active, its machine not retired; also while its entry is open.';
comment on column maintenance.v_pm_plan.needs_entry is
  'True if the plan needs a new entry: no open one, and due by its meter or, with its lead days, by date.';
comment on column maintenance.v_pm_plan.machine_code is 'Code of the machine.';
comment on column maintenance.v_pm_plan.category_name is 'Name of the category.';
comment on column maintenance.v_pm_plan.meter_name is 'Name of the meter; null for a plan by days only.';
comment on column maintenance.v_pm_plan.meter_unit is 'Unit of the meter; null for a plan by days only.';
comment on column maintenance.v_pm_plan.total_units is
  'Running total of the meter across resets; null for a plan by days only.';
comment on column maintenance.v_pm_plan.meter_reading is 'Newest reading of the meter; null without one.';
comment on column maintenance.v_pm_plan.next_due_reading is
  'What the meter will show when the plan is due, below zero if it was due before a new counter began; null if not by meter.';
