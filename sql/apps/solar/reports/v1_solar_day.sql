-- Energy and peak power per site and day in the site's time zone.
-- columns: company_id uuid, company text, site text, local_date date, kwh numeric, peak_kw numeric,
--   samples bigint, longest_gap_hours numeric, uncounted bigint, left_out_kwh numeric, zone_unknown boolean
create view report.v1_solar_day with (security_invoker = true, security_barrier = true) as
select
  t.company_id,
  c.slug as company,
  t.name as site,
  d.local_date,
  d.kwh,
  d.peak_kw,
  d.readings as samples,
  round(extract(epoch from d.longest_gap) / 3600, 2) as longest_gap_hours,
  d.uncounted,
  d.left_out_kwh,
  t.zone_unknown
from (
  -- One call for each site, not for each sample.
  select
    k.company_id, k.id, k.name, k.deleted_at,
    -- As the function power_limit says it. A login for reports has rights only on what the view itself reads.
    coalesce(
      k.capacity_kw,
      (
        select s.inverter_kw
        from solar.sample s
        where s.company_id = k.company_id
          and s.site_id = k.id
          and s.inverter_kw > 100
        order by s.inverter_kw desc
        limit 1
      ),
      100) as power_limit,
    core.known_zone(k.timezone) as timezone,
    core.known_zone(k.timezone) <> k.timezone as zone_unknown
  from solar.site k
  offset 0
) t
join core.company c on c.id = t.company_id
cross join lateral (
  with recursive reading as (
    select
      s.taken_at as at,
      s.meter_kwh as value,
      s.first_kwh as starts_at,
      t.power_limit as per_hour
    from solar.sample s
    where s.company_id = t.company_id
      and s.site_id = t.id
      and s.meter_kwh is not null
  ),
  -- include: counter_steps
  select
    coalesce(e.day, p.day) as local_date,
    e.kwh,
    p.peak_kw,
    e.longest_gap,
    coalesce(e.readings, 0) as readings,
    coalesce(e.uncounted, 0) as uncounted,
    coalesce(e.left_out_kwh, 0) as left_out_kwh
  from (
    select
      (s.at at time zone t.timezone)::date as day,
      coalesce(sum(s.step), 0) as kwh,
      max(s.at - s.previous_at) as longest_gap,
      count(*) as readings,
      count(*) filter (where s.step is null) as uncounted,
      sum(s.left_out) as left_out_kwh
    from step s
    group by 1
  ) e
  full join (
    select (s.taken_at at time zone t.timezone)::date as day, max(s.inverter_kw) as peak_kw
    from solar.sample s
    where s.company_id = t.company_id
      and s.site_id = t.id
    group by 1
  ) p on p.day = e.day
) d
where t.deleted_at is null;

comment on column report.v1_solar_day.company_id is 'The company.';
comment on column report.v1_solar_day.company is 'Short name of the company.';
comment on column report.v1_solar_day.site is 'Name of the site.';
comment on column report.v1_solar_day.local_date is 'Day in the site''s time zone.';
comment on column report.v1_solar_day.kwh is
  'Energy in kWh, across resets of the counter; null for a day without a meter reading.';
comment on column report.v1_solar_day.peak_kw is 'Highest power in kW among all samples; null if none has one.';
comment on column report.v1_solar_day.samples is 'Number of samples with a meter reading.';
comment on column report.v1_solar_day.longest_gap_hours is
  'Longest gap before a meter reading of the day, in hours; null without an earlier one.';
comment on column report.v1_solar_day.uncounted is
  'Number of meter readings that do not count: below or above what the counter can show, and not confirmed.';
comment on column report.v1_solar_day.left_out_kwh is
  'Energy of steps above what the site''s capacity allows, which is not in kwh.';
comment on column report.v1_solar_day.zone_unknown is
  'True if the site''s time zone is unknown to PostgreSQL: days are those of UTC.';
