-- Hours worked, with the number and status category of their entry.
create view maintenance.v_time_entry with (security_invoker = true) as
select
  t.company_id, t.id, t.version,
  t.created_by, t.created_at, t.updated_by, t.updated_at, t.client_created_at,
  t.entry_id, t.user_id, t.user_name,
  t.work_date, t.start_time, t.end_time, t.has_lunch,
  t.started_at, t.ended_at, t.actual_hours,
  e.status_category as entry_status_category,
  e.number as entry_number
from maintenance.time_entry t
join maintenance.entry e on e.company_id = t.company_id and e.id = t.entry_id
where t.deleted_at is null;

comment on column maintenance.v_time_entry.entry_status_category is 'Status category of the entry.';
comment on column maintenance.v_time_entry.entry_number is 'Number of the entry, such as WO-1007.';
