-- Energy and peak power per site and day in the site's time zone.
-- columns: company_id uuid, company text, site text, local_date date, kwh numeric, peak_kw numeric,
--   samples bigint, longest_gap_hours numeric, zone_unknown boolean
create view report.v1_solar_day with (security_invoker = true, security_barrier = true) as
select
  x.company_id,
  x.company,
  x.site,
  (x.taken_at at time zone x.timezone)::date as local_date,
  sum(case
        when x.previous_kwh is null then 0
        when x.meter_kwh >= x.previous_kwh then x.meter_kwh - x.previous_kwh
        else x.meter_kwh
      end) as kwh,
  max(x.inverter_kw) as peak_kw,
  count(*) as samples,
  round(max(extract(epoch from x.taken_at - x.previous_at)) / 3600, 2) as longest_gap_hours,
  bool_or(x.zone_unknown) as zone_unknown
from (
  select
    s.company_id, s.site_id, s.taken_at, s.inverter_kw, s.meter_kwh,
    c.slug as company,
    t.name as site,
    t.timezone,
    t.zone_unknown,
    lag(s.meter_kwh) over w as previous_kwh,
    lag(s.taken_at) over w as previous_at
  from solar.sample s
  join (
    -- One call for each site, not for each sample.
    select
      k.company_id, k.id, k.name, k.deleted_at,
      core.known_zone(k.timezone) as timezone,
      core.known_zone(k.timezone) <> k.timezone as zone_unknown
    from solar.site k
    offset 0
  ) t on t.company_id = s.company_id and t.id = s.site_id
  join core.company c on c.id = s.company_id
  where s.meter_kwh is not null
    and t.deleted_at is null
  window w as (partition by s.company_id, s.site_id order by s.taken_at)
) x
group by x.company_id, x.company, x.site_id, x.site, (x.taken_at at time zone x.timezone)::date;

comment on column report.v1_solar_day.company_id is 'The company.';
comment on column report.v1_solar_day.company is 'Short name of the company.';
comment on column report.v1_solar_day.site is 'Name of the site.';
comment on column report.v1_solar_day.local_date is 'Day in the site''s time zone.';
comment on column report.v1_solar_day.kwh is 'Energy in kWh; a falling counter counts again from zero.';
comment on column report.v1_solar_day.peak_kw is 'Highest power in kW among samples with a meter reading.';
comment on column report.v1_solar_day.samples is 'Number of samples with a meter reading.';
comment on column report.v1_solar_day.longest_gap_hours is
  'Longest gap before a sample of the day, in hours; null without an earlier sample.';
comment on column report.v1_solar_day.zone_unknown is
  'True if the site''s time zone is unknown to PostgreSQL: days are those of UTC.';
