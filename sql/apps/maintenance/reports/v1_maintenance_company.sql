-- One row per company: machines, work and people.
-- columns: company_id uuid, company text, machines bigint, out_of_service bigint, pending bigint,
--   in_progress bigint, completed bigint, completed_30_days bigint, overdue bigint,
--   open_estimated_hours numeric, hours_30_days numeric, cost_365_days numeric, active_plans bigint,
--   active_members bigint, zone_unknown boolean
create view report.v1_maintenance_company with (security_invoker = true, security_barrier = true) as
select
  c.id as company_id,
  c.slug as company,
  m.machines,
  m.out_of_service,
  e.pending,
  e.in_progress,
  e.completed,
  e.completed_30_days,
  e.overdue,
  e.open_estimated_hours,
  h.hours_30_days,
  e.cost_365_days,
  p.active_plans,
  u.active_members,
  z.zone <> c.timezone as zone_unknown
from core.company c
cross join lateral (select core.known_zone(c.timezone) as zone) z
cross join lateral (select (now() at time zone z.zone)::date as today) d
cross join lateral (
  select
    count(*) as machines,
    count(*) filter (where x.status_category = 'open') as out_of_service
  from maintenance.machine x
  where x.company_id = c.id
    and x.status_category <> 'done'
    and x.deleted_at is null
) m
cross join lateral (
  select
    count(*) filter (where x.status_category = 'open') as pending,
    count(*) filter (where x.status_category = 'active') as in_progress,
    count(*) filter (where x.status_category = 'done') as completed,
    count(*) filter (where x.completed_at >= now() - interval '30 days') as completed_30_days,
    count(*) filter (where x.status_category <> 'done' and x.due_on < d.today) as overdue,
    coalesce(sum(x.estimated_hours) filter (where x.status_category <> 'done'), 0) as open_estimated_hours,
    coalesce(sum(x.actual_cost) filter (where x.reported_on > d.today - 365), 0) as cost_365_days
  from maintenance.entry x
  where x.company_id = c.id
    and x.deleted_at is null
) e
cross join lateral (
  select coalesce(sum(x.actual_hours), 0) as hours_30_days
  from maintenance.time_entry x
  where x.company_id = c.id
    and x.work_date > d.today - 30
    and x.deleted_at is null
) h
cross join lateral (
  select count(*) as active_plans
  from maintenance.pm_plan x
  where x.company_id = c.id
    and x.status_category = 'active'
    and x.deleted_at is null
) p
cross join lateral (
  select count(*) as active_members
  from core.membership x
  where x.company_id = c.id
    and x.status = 'active'
) u
where m.machines > 0
  or e.pending + e.in_progress + e.completed > 0;

comment on column report.v1_maintenance_company.company_id is 'The company.';
comment on column report.v1_maintenance_company.company is 'Short name of the company.';
comment on column report.v1_maintenance_company.machines is 'Number of machines that are not retired.';
comment on column report.v1_maintenance_company.out_of_service is 'Number of machines out of service.';
comment on column report.v1_maintenance_company.pending is 'Number of pending entries.';
comment on column report.v1_maintenance_company.in_progress is 'Number of entries in progress.';
comment on column report.v1_maintenance_company.completed is 'Number of completed entries of all time.';
comment on column report.v1_maintenance_company.completed_30_days is 'Number of entries completed in the last 30 days.';
comment on column report.v1_maintenance_company.overdue is 'Number of entries not done whose due date has passed.';
comment on column report.v1_maintenance_company.open_estimated_hours is
  'Estimated hours of the entries not done.';
comment on column report.v1_maintenance_company.hours_30_days is 'Hours worked in the last 30 days.';
comment on column report.v1_maintenance_company.cost_365_days is
  'Sum of the known costs of the entries reported in the last 365 days.';
comment on column report.v1_maintenance_company.active_plans is 'Number of active preventive plans.';
comment on column report.v1_maintenance_company.active_members is 'Number of active members.';
comment on column report.v1_maintenance_company.zone_unknown is
  'True if the company''s time zone is unknown to PostgreSQL: days are those of UTC.';
