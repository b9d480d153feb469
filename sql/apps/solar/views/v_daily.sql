-- Energy and peak power per site and day in the site's time zone.
create view solar.v_daily with (security_invoker = true) as
select
  x.company_id,
  x.site_id,
  (x.taken_at at time zone x.timezone)::date as local_date,
  sum(case
        when x.previous_kwh is null then 0
        when x.meter_kwh >= x.previous_kwh then x.meter_kwh - x.previous_kwh
        else x.meter_kwh
      end) as kwh,
  max(x.inverter_kw) as peak_kw,
  max(x.taken_at - x.previous_at) as longest_gap
from (
  select
    s.company_id, s.site_id, s.taken_at, s.inverter_kw, s.meter_kwh,
    t.timezone,
    lag(s.meter_kwh) over w as previous_kwh,
    lag(s.taken_at) over w as previous_at
  from solar.sample s
  join (
    -- One call for each site, not for each sample.
    select k.company_id, k.id, k.deleted_at, core.known_zone(k.timezone) as timezone from solar.site k offset 0
  ) t on t.company_id = s.company_id and t.id = s.site_id
  where s.meter_kwh is not null
    and t.deleted_at is null
  window w as (partition by s.company_id, s.site_id order by s.taken_at)
) x
group by x.company_id, x.site_id, (x.taken_at at time zone x.timezone)::date;

comment on column solar.v_daily.local_date is 'Day in the site''s time zone.';
comment on column solar.v_daily.peak_kw is
  'Highest power in kW among samples with a meter reading; null if none has one.';
comment on column solar.v_daily.kwh is
  'Energy in kWh: sum of the counter''s steps; a falling counter counts again from zero, so never negative.';
comment on column solar.v_daily.longest_gap is
  'Longest gap before a sample of the day, null without an earlier sample; a long gap explains a large step.';
