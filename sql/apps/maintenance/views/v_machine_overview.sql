-- Machines with their numbers of pending and started entries, and their estimated and logged hours.
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

comment on column maintenance.v_machine_overview.pending_items is 'Number of pending entries.';
comment on column maintenance.v_machine_overview.in_progress_items is 'Number of entries in progress.';
comment on column maintenance.v_machine_overview.open_estimated_hours is
  'Estimated hours of the entries not done.';
comment on column maintenance.v_machine_overview.hours_logged is
  'Hours worked on the machine, over all entries.';
