-- Backlog per machine: number and age of the entries that are not done.
-- columns: company_id uuid, company text, machine text, machine_name text, open_entries bigint,
--   in_progress_entries bigint, up_to_7_days bigint, days_8_to_30 bigint, days_31_to_90 bigint,
--   over_90_days bigint, oldest_reported_on date, oldest_days integer, estimated_hours numeric,
--   zone_unknown boolean
create view report.v1_backlog with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  m.code as machine,
  m.name as machine_name,
  count(*) filter (where e.status_category = 'open') as open_entries,
  count(*) filter (where e.status_category = 'active') as in_progress_entries,
  count(*) filter (where a.days <= 7) as up_to_7_days,
  count(*) filter (where a.days between 8 and 30) as days_8_to_30,
  count(*) filter (where a.days between 31 and 90) as days_31_to_90,
  count(*) filter (where a.days > 90) as over_90_days,
  min(e.reported_on) as oldest_reported_on,
  max(a.days) as oldest_days,
  sum(e.estimated_hours) as estimated_hours,
  bool_or(c.zone <> c.timezone) as zone_unknown
from maintenance.entry e
join (
  -- One call for each company, not for each row.
  select k.id, k.slug, k.timezone, core.known_zone(k.timezone) as zone from core.company k offset 0
) c on c.id = e.company_id
join maintenance.machine m on m.company_id = e.company_id and m.id = e.machine_id
cross join lateral (
  select (now() at time zone c.zone)::date - e.reported_on as days
) a
where e.status_category <> 'done'
  and e.deleted_at is null
group by e.company_id, c.slug, m.id, m.code, m.name;

comment on column report.v1_backlog.company_id is 'The company.';
comment on column report.v1_backlog.company is 'Short name of the company.';
comment on column report.v1_backlog.machine is 'Code of the machine.';
comment on column report.v1_backlog.machine_name is 'Name of the machine.';
comment on column report.v1_backlog.open_entries is
  'Number of entries in a state of the category open, such as pending.';
comment on column report.v1_backlog.in_progress_entries is
  'Number of entries in a state of the category active, such as in progress.';
comment on column report.v1_backlog.up_to_7_days is 'Number of entries not done that were reported at most 7 days ago.';
comment on column report.v1_backlog.days_8_to_30 is 'Number of entries not done that were reported 8 to 30 days ago.';
comment on column report.v1_backlog.days_31_to_90 is 'Number of entries not done that were reported 31 to 90 days ago.';
comment on column report.v1_backlog.over_90_days is
  'Number of entries not done that were reported more than 90 days ago.';
comment on column report.v1_backlog.oldest_reported_on is 'Date of report of the oldest entry not done.';
comment on column report.v1_backlog.oldest_days is
  'Age of the oldest entry not done in days, in the company''s time zone.';
comment on column report.v1_backlog.estimated_hours is 'Estimated hours of the entries not done.';
comment on column report.v1_backlog.zone_unknown is
  'True if the company''s time zone is unknown to PostgreSQL: days are those of UTC.';
