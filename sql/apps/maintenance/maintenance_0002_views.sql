-- What is read: computed columns that guards and edit rules may name, without tombstones. Each runs as its
-- caller. Columns that a table hands through get the table's comments when the installer attaches the view.

create view maintenance.v_entry with (security_invoker = true) as
select
  e.company_id, e.id, e.version,
  e.created_by, e.created_at, e.updated_by, e.updated_at, e.client_created_at,
  e.machine_id, e.category_id, e.description,
  e.estimated_hours, e.actual_cost,
  e.reported_on, e.external_ref, e.priority, e.assigned_to, e.due_on, e.plan_id,
  e.created_by_name,
  e.status, e.status_category,
  e.started_at, e.started_by, e.completed_at, e.completed_by, e.completion_note,
  m.code as machine_code,
  k.name as category_name,
  coalesce(h.hours, 0) as hours_logged,
  case when e.status_category <> 'done'
       then (now() at time zone c.timezone)::date - e.reported_on
  end as age_days
from maintenance.entry e
join core.company c on c.id = e.company_id
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

create view maintenance.v_time_entry with (security_invoker = true) as
select
  t.company_id, t.id, t.version,
  t.created_by, t.created_at, t.updated_by, t.updated_at, t.client_created_at,
  t.entry_id, t.user_id, t.user_name,
  t.work_date, t.start_time, t.end_time, t.lunch_break_deducted,
  t.started_at, t.ended_at, t.actual_hours,
  e.status_category as entry_status_category
from maintenance.time_entry t
join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
where t.deleted_at is null;

comment on view maintenance.v_time_entry is 'Hours worked, and whether the entry they belong to is done.';
comment on column maintenance.v_time_entry.entry_status_category is 'Category of the entry''s status.';

create view maintenance.v_machine_overview with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.code, m.name, m.photo_id,
  m.status, m.status_category,
  e.pending_items,
  e.in_progress_items,
  e.open_estimated_hours,
  h.hours_logged
from maintenance.machine m
cross join lateral (
  select
    count(*) filter (where x.status_category = 'open') as pending_items,
    count(*) filter (where x.status_category = 'active') as in_progress_items,
    coalesce(sum(x.estimated_hours) filter (where x.status_category <> 'done'), 0) as open_estimated_hours
  from maintenance.entry x
  where x.company_id = m.company_id
    and x.machine_id = m.id
    and x.deleted_at is null
) e
cross join lateral (
  select coalesce(sum(t.actual_hours), 0) as hours_logged
  from maintenance.entry x
  join maintenance.time_entry t on t.company_id = x.company_id and t.entry_id = x.id
  where x.company_id = m.company_id
    and x.machine_id = m.id
    and x.deleted_at is null
    and t.deleted_at is null
) h
where m.deleted_at is null;

comment on view maintenance.v_machine_overview is 'Machines with what is waiting, under way and logged.';
comment on column maintenance.v_machine_overview.pending_items is 'Entries that wait.';
comment on column maintenance.v_machine_overview.in_progress_items is 'Entries under way.';
comment on column maintenance.v_machine_overview.open_estimated_hours is
  'Hours that the entries not done are expected to take.';
comment on column maintenance.v_machine_overview.hours_logged is
  'Hours that were worked on it, all entries together.';

create view maintenance.v_machine_downtime with (security_invoker = true) as
select
  h.company_id,
  h.record_id as machine_id,
  h.occurred_at as down_from,
  h.next_at as down_until,
  round(extract(epoch from coalesce(h.next_at, now()) - h.occurred_at) / 3600, 2) as hours_down,
  h.comment as reason
from (
  select
    x.company_id, x.record_id, x.to_status, x.occurred_at, x.comment,
    lead(x.occurred_at) over (partition by x.company_id, x.record_id order by x.seq) as next_at
  from core.history x
  where x.record_type = 'maintenance.machine'
    and x.to_status is distinct from x.from_status
) h
where h.to_status = 'out_of_service';

comment on view maintenance.v_machine_downtime is
  'Each spell out of service, from history; down_until is null while it lasts.';
comment on column maintenance.v_machine_downtime.machine_id is 'The machine.';
comment on column maintenance.v_machine_downtime.down_from is 'Since when it was out of service.';
comment on column maintenance.v_machine_downtime.down_until is 'Until when; null: it still is.';
comment on column maintenance.v_machine_downtime.hours_down is 'How long, in hours.';
comment on column maintenance.v_machine_downtime.reason is 'What was said when it was taken out.';

create view maintenance.v_meter with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.machine_id, m.name, m.unit,
  l.value as last_value,
  l.taken_at as last_taken_at,
  t.total_units
from maintenance.meter m
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
    and not o.has_open_entry
    and (coalesce(p.next_due_on - p.lead_days <= (now() at time zone c.timezone)::date, false)
         or coalesce(v.total_units >= p.next_due_units, false)) as is_due
from maintenance.pm_plan p
join core.company c on c.id = p.company_id
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
comment on column maintenance.v_pm_plan.is_due is 'It is time for a new entry.';
