-- Preventive plans, with a flag for plans that need a new entry.
create view maintenance.v_pm_plan with (security_invoker = true) as
select
  p.company_id, p.id, p.version,
  p.created_by, p.created_at, p.updated_by, p.updated_at, p.client_created_at,
  p.machine_id, p.category_id, p.title, p.estimated_hours,
  p.every_days, p.meter_id, p.every_units, p.anchor, p.lead_days,
  p.starts_on, p.next_due_on, p.next_due_units,
  p.status, p.status_category,
  o.has_open_entry,
  p.status_category = 'active'
    and m.status_category <> 'done'
    and m.deleted_at is null
    and not o.has_open_entry
    and (coalesce(p.next_due_on - p.lead_days <= (now() at time zone c.timezone)::date, false)
         or coalesce(v.total_units >= p.next_due_units, false)) as is_due,
  m.code as machine_code,
  k.name as category_name,
  v.name as meter_name,
  v.unit as meter_unit,
  v.total_units
from maintenance.pm_plan p
join core.company c on c.id = p.company_id
join maintenance.machine m on m.company_id = p.company_id and m.id = p.machine_id
join maintenance.category k on k.company_id = p.company_id and k.id = p.category_id
left join maintenance.v_meter v on v.company_id = p.company_id and v.id = p.meter_id
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
  'True if the plan needs a new entry: active, due by date or units, no open entry, machine not retired.';
comment on column maintenance.v_pm_plan.machine_code is 'Code of the machine.';
comment on column maintenance.v_pm_plan.category_name is 'Name of the category.';
comment on column maintenance.v_pm_plan.meter_name is 'Name of the meter; null for a plan by days only.';
comment on column maintenance.v_pm_plan.meter_unit is 'Unit of the meter; null for a plan by days only.';
comment on column maintenance.v_pm_plan.total_units is
  'Running total of the meter across resets; null for a plan by days only.';
