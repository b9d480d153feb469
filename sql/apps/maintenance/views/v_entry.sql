-- Entries with the names of referenced records, the logged hours and, if not done, the age.
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
cross join lateral (select (now() at time zone core.known_zone(c.timezone))::date as today) d
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

comment on column maintenance.v_entry.machine_code is 'Code of the machine.';
comment on column maintenance.v_entry.category_name is 'Name of the category.';
comment on column maintenance.v_entry.hours_logged is 'Hours worked on the entry.';
comment on column maintenance.v_entry.age_days is
  'Days since the report, in the company''s time zone; null for a completed entry.';
comment on column maintenance.v_entry.is_overdue is 'True if the entry is not done and its due date has passed.';
comment on column maintenance.v_entry.number is 'Work order number, such as WO-1007; unique per company, null if none.';
comment on column maintenance.v_entry.number_seq is 'Counter in the work order number, used for sorting; null if none.';
