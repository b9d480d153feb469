-- Energy and peak power per site and day in the site's time zone.
create view solar.v_daily with (security_invoker = true) as
select
  t.company_id,
  t.id as site_id,
  d.local_date,
  d.kwh,
  d.peak_kw,
  d.longest_gap,
  d.uncounted,
  d.left_out_kwh
from (
  -- One call for each site, not for each sample.
  select
    k.company_id, k.id, k.deleted_at,
    solar.power_limit(k.company_id, k.id) as power_limit,
    core.known_zone(k.timezone) as timezone
  from solar.site k
  offset 0
) t
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

comment on column solar.v_daily.local_date is 'Day in the site''s time zone.';
comment on column solar.v_daily.peak_kw is 'Highest power in kW among all samples; null if none has one.';
comment on column solar.v_daily.kwh is
  'Energy in kWh: sum of the counter''s steps, across resets; null for a day without a meter reading.';
comment on column solar.v_daily.longest_gap is
  'Longest gap before a reading of the day, null without an earlier one; a long gap explains a large step.';
comment on column solar.v_daily.uncounted is
  'Number of meter readings that do not count: below or above what the counter can show, and not confirmed.';
comment on column solar.v_daily.left_out_kwh is
  'Energy of steps above what the site''s capacity allows, which is not in kwh.';
