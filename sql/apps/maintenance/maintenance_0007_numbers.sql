-- Numbers of work orders, set by the engine.

alter table maintenance.entry
  add column number     text check (btrim(number) <> ''),
  add column number_seq bigint,
  add constraint entry_number_has_counter check ((number is null) = (number_seq is null));

create unique index entry_number on maintenance.entry (company_id, number_seq);

comment on column maintenance.entry.number is 'Number of the work order, such as WO-1007; unique per company.';
comment on column maintenance.entry.number_seq is 'The counter in its number, by which numbers are sorted.';

drop view maintenance.v_entry;

create view maintenance.v_entry with (security_invoker = true) as
select
  e.company_id, e.id, e.number, e.number_seq, e.version,
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
comment on column maintenance.v_entry.number is 'Number of the work order, such as WO-1007; unique per company.';
comment on column maintenance.v_entry.number_seq is 'The counter in its number, by which numbers are sorted.';

drop view maintenance.v_time_entry;

create view maintenance.v_time_entry with (security_invoker = true) as
select
  t.company_id, t.id, t.version,
  t.created_by, t.created_at, t.updated_by, t.updated_at, t.client_created_at,
  t.entry_id, t.user_id, t.user_name,
  t.work_date, t.start_time, t.end_time, t.lunch_break_deducted,
  t.started_at, t.ended_at, t.actual_hours,
  e.status_category as entry_status_category,
  e.number as entry_number
from maintenance.time_entry t
join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
where t.deleted_at is null;

comment on view maintenance.v_time_entry is 'Hours worked, and whether the entry they belong to is done.';
comment on column maintenance.v_time_entry.entry_status_category is 'Category of the entry''s status.';
comment on column maintenance.v_time_entry.entry_number is 'Number of the entry, such as WO-1007.';

drop view report.v1_overdue;

create view report.v1_overdue with (security_invoker = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  coalesce(e.number, e.external_ref, left(e.id::text, 8)) as entry,
  e.description,
  e.status,
  e.priority,
  e.due_on,
  d.today - e.due_on as days_overdue,
  d.today - e.reported_on as age_days,
  e.assigned_to is not null as is_assigned,
  e.plan_id is not null as is_planned
from maintenance.entry e
join core.company c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
cross join lateral (select (now() at time zone c.timezone)::date as today) d
where e.status_category <> 'done'
  and e.deleted_at is null
  and e.due_on < d.today;

comment on view report.v1_overdue is 'Entries that are not done although the day they were due has passed.';
comment on column report.v1_overdue.company_id is 'The company.';
comment on column report.v1_overdue.company is 'Short name of the company.';
comment on column report.v1_overdue.machine is 'Code of the machine.';
comment on column report.v1_overdue.entry is
  'Its number; without one, its number in another system or the beginning of its id.';
comment on column report.v1_overdue.description is 'What is to be done.';
comment on column report.v1_overdue.status is 'How far it is.';
comment on column report.v1_overdue.priority is '1 urgent, 2 normal, 3 low, 4 when convenient.';
comment on column report.v1_overdue.due_on is 'The day it should have been done by.';
comment on column report.v1_overdue.days_overdue is 'Days since then, where the company is.';
comment on column report.v1_overdue.age_days is 'Days since it was reported.';
comment on column report.v1_overdue.is_assigned is 'Somebody is to do it.';
comment on column report.v1_overdue.is_planned is 'A preventive plan made it.';
