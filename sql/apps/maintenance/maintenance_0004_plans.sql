-- Preventive maintenance at work: what a plan wanted of the entries it made, the rest of a visit that was done in
-- part, and views that name what they point to.

alter table maintenance.entry
  add column planned_on    date,
  add column planned_units numeric(14,3) check (planned_units >= 0 and planned_units < 'NaN'),
  add column split_from    uuid,
  add foreign key (company_id, split_from) references maintenance.entry (company_id, id);  -- keep

create index on maintenance.entry (company_id, split_from) where split_from is not null;

comment on column maintenance.entry.planned_on is
  'The day its plan was due; a plan that is fixed counts on from there, however due_on was moved.';
comment on column maintenance.entry.planned_units is 'The running total of the meter at which its plan was due.';
comment on column maintenance.entry.split_from is 'The entry that was done in part, and of which this is the rest.';

drop view maintenance.v_entry;

create view maintenance.v_entry with (security_invoker = true) as
select
  e.company_id, e.id, e.version,
  e.created_by, e.created_at, e.updated_by, e.updated_at, e.client_created_at,
  e.machine_id, e.category_id, e.description,
  e.estimated_hours, e.actual_cost,
  e.reported_on, e.external_ref, e.priority, e.assigned_to, e.due_on,
  e.plan_id, e.planned_on, e.planned_units, e.split_from,
  e.created_by_name,
  e.status, e.status_category,
  e.started_at, e.started_by, e.completed_at, e.completed_by, e.completion_note,
  m.code as machine_code,
  k.name as category_name,
  coalesce(h.hours, 0) as hours_logged,
  case when e.status_category <> 'done' then d.today - e.reported_on end as age_days,
  e.status_category <> 'done' and coalesce(e.due_on < d.today, false) as is_overdue
from maintenance.entry e
join core.company c on c.id = e.company_id
cross join lateral (select (now() at time zone c.timezone)::date as today) d
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
join maintenance.category k on k.company_id = e.company_id and k.id = e.category_id
left join lateral (
  select sum(t.actual_hours) as hours
  from maintenance.time_entry t
  where t.company_id = e.company_id
    and t.entry_id = e.id
    and t.deleted_at is null
) h on true
where e.deleted_at is null;

comment on view maintenance.v_entry is
  'Entries with the names they point to, hours logged and, until done, their age.';
comment on column maintenance.v_entry.machine_code is 'Code of its machine.';
comment on column maintenance.v_entry.category_name is 'Name of its category.';
comment on column maintenance.v_entry.hours_logged is 'Hours that were worked on it.';
comment on column maintenance.v_entry.age_days is
  'Days since it was reported, where the company is; null once it is done.';
comment on column maintenance.v_entry.is_overdue is 'It is not done, and the day it was due has passed.';

drop view maintenance.v_pm_plan;
drop view maintenance.v_meter;

create view maintenance.v_meter with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.machine_id, m.name, m.unit,
  l.value as last_value,
  l.taken_at as last_taken_at,
  t.total_units,
  a.code as machine_code
from maintenance.meter m
join maintenance.machine a on a.company_id = m.company_id and a.id = m.machine_id
left join lateral (
  select r.value, r.taken_at
  from maintenance.meter_reading r
  where r.company_id = m.company_id
    and r.meter_id = m.id
    and r.deleted_at is null
  order by r.taken_at desc
  limit 1
) l on true
cross join lateral (
  select coalesce(sum(s.step), 0) as total_units
  from (
    select case
             when lag(r.value) over (order by r.taken_at) is null then 0
             when r.is_reset or r.value < lag(r.value) over (order by r.taken_at) then r.value
             else r.value - lag(r.value) over (order by r.taken_at)
           end as step
    from maintenance.meter_reading r
    where r.company_id = m.company_id
      and r.meter_id = m.id
      and r.deleted_at is null
  ) s
) t
where m.deleted_at is null;

comment on view maintenance.v_meter is
  'Meters with their newest reading and the units run since the first one, resets included.';
comment on column maintenance.v_meter.last_value is 'What it showed last.';
comment on column maintenance.v_meter.last_taken_at is 'When it was read last.';
comment on column maintenance.v_meter.total_units is 'Units run since the first reading, resets included.';
comment on column maintenance.v_meter.machine_code is 'Code of its machine.';

create view maintenance.v_pm_plan with (security_invoker = true) as
select
  p.company_id, p.id, p.version,
  p.created_by, p.created_at, p.updated_by, p.updated_at, p.client_created_at,
  p.machine_id, p.category_id, p.title, p.estimated_hours,
  p.every_days, p.meter_id, p.every_units, p.anchor, p.lead_days,
  p.next_due_on, p.next_due_units,
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

comment on view  maintenance.v_pm_plan is 'Preventive plans, and whether each is due for a new entry.';
comment on column maintenance.v_pm_plan.has_open_entry is 'An entry that it made is not done.';
comment on column maintenance.v_pm_plan.is_due is
  'It is time for a new entry; not for a machine that is retired.';
comment on column maintenance.v_pm_plan.machine_code is 'Code of its machine.';
comment on column maintenance.v_pm_plan.category_name is 'Name of its category.';
comment on column maintenance.v_pm_plan.meter_name is 'Name of the meter that is watched; null: by days only.';
comment on column maintenance.v_pm_plan.meter_unit is 'Unit of that meter.';
comment on column maintenance.v_pm_plan.total_units is 'Running total of that meter, resets included.';
