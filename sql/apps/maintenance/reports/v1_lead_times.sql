-- Time from report to start and to completion of entries, per month of completion: from the creation, or from the beginning
-- of the day of the report if the entry was created after the work, as imported ones are. A missing start does not count.
-- columns: company_id uuid, company text, month date, entries bigint, median_hours_to_start numeric,
--   p90_hours_to_start numeric, median_hours_to_complete numeric, p90_hours_to_complete numeric,
--   zone_unknown boolean
create view report.v1_lead_times with (security_invoker = true, security_barrier = true) as
select
  e.company_id,
  c.slug as company,
  date_trunc('month', e.completed_at at time zone c.zone)::date as month,
  count(*) as entries,
  round(percentile_cont(0.5) within group (order by s.hours_to_start)::numeric, 2) as median_hours_to_start,
  round(percentile_cont(0.9) within group (order by s.hours_to_start)::numeric, 2) as p90_hours_to_start,
  round(percentile_cont(0.5) within group (order by s.hours_to_complete)::numeric, 2) as median_hours_to_complete,
  round(percentile_cont(0.9) within group (order by s.hours_to_complete)::numeric, 2) as p90_hours_to_complete,
  bool_or(c.zone <> c.timezone) as zone_unknown
from maintenance.entry e
join (
  -- One call for each company, not for each row.
  select k.id, k.slug, k.timezone, core.known_zone(k.timezone) as zone from core.company k offset 0
) c on c.id = e.company_id
cross join lateral (
  select
    extract(epoch from e.started_at - b.at)::float8 / 3600 as hours_to_start,
    extract(epoch from e.completed_at - b.at)::float8 / 3600 as hours_to_complete,
    b.at as begun_at
  from (
    values (
      case
        when e.created_at <= least(e.started_at, e.completed_at) then e.created_at
        else e.reported_on::timestamp at time zone c.zone
      end
    )
  ) b (at)
) s
where e.status_category = 'done'
  and e.completed_at >= s.begun_at
  and (e.started_at is null or e.started_at between s.begun_at and e.completed_at)
  and e.deleted_at is null
group by e.company_id, c.slug, date_trunc('month', e.completed_at at time zone c.zone);

comment on column report.v1_lead_times.company_id is 'The company.';
comment on column report.v1_lead_times.company is 'Short name of the company.';
comment on column report.v1_lead_times.month is 'First day of the month of completion, in the company''s time zone.';
comment on column report.v1_lead_times.entries is 'Number of entries completed in the month.';
comment on column report.v1_lead_times.median_hours_to_start is
  'Median of the hours from report to start; null if no start is known.';
comment on column report.v1_lead_times.p90_hours_to_start is '90th percentile of the hours from report to start.';
comment on column report.v1_lead_times.median_hours_to_complete is
  'Median of the hours from report to completion.';
comment on column report.v1_lead_times.p90_hours_to_complete is
  '90th percentile of the hours from report to completion.';
comment on column report.v1_lead_times.zone_unknown is
  'True if the company''s time zone is unknown to PostgreSQL: days are those of UTC.';
