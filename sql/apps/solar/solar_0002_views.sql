-- What is read: the newest sample of a site, and its energy by day. Each view runs as its caller. The installer
-- gives columns that a table hands through the table's comments.

create view solar.v_current with (security_invoker = true) as
select
  s.company_id,
  s.id as site_id,
  r.inverter_kw as inverter_reading,
  r.meter_kwh as meter_reading,
  r.taken_at as "timestamp",
  floor(extract(epoch from now() - r.taken_at))::bigint as age_seconds,
  r.taken_at < now() - interval '120 seconds' as stale
from solar.site s
cross join lateral (
  select x.inverter_kw, x.meter_kwh, x.taken_at
  from solar.sample x
  where x.company_id = s.company_id
    and x.site_id = s.id
  order by x.taken_at desc
  limit 1
) r
where s.deleted_at is null;

comment on view solar.v_current is 'The newest sample of each site; a site without one has no row.';
comment on column solar.v_current.site_id is 'The site.';
comment on column solar.v_current.inverter_reading is 'Power in kW; negative when the inverter draws.';
comment on column solar.v_current.meter_reading is 'What the meter counts, in kWh.';
comment on column solar.v_current."timestamp" is 'When it was so.';
comment on column solar.v_current.age_seconds is 'How long ago that was.';
comment on column solar.v_current.stale is 'It is more than two minutes old.';

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
  join solar.site t on t.company_id = s.company_id and t.id = s.site_id
  where s.meter_kwh is not null
    and t.deleted_at is null
  window w as (partition by s.company_id, s.site_id order by s.taken_at)
) x
group by x.company_id, x.site_id, (x.taken_at at time zone x.timezone)::date;

comment on view   solar.v_daily is 'Energy and peak power per site and day of the site''s own time zone.';
comment on column solar.v_daily.local_date is 'The day, where the site is.';
comment on column solar.v_daily.peak_kw is 'Among samples that carry a meter reading.';
comment on column solar.v_daily.kwh is
  'Sum of the counter''s steps; a falling counter starts a new cycle from zero, so never negative.';
comment on column solar.v_daily.longest_gap is
  'Longest silence that ended on this day: a long one explains a large step.';

-- The same for some days of one site, reading only the samples of those days and the one before: what a page of
-- a calendar asks for, however long the site's past is.
create function solar.daily(company uuid, site uuid, first_day date, last_day date, spread boolean default false)
  returns table (
    local_date  date,
    kwh         numeric,
    peak_kw     numeric,
    longest_gap interval
  )
  language sql stable
begin atomic
  with place as (
    select
      t.timezone,
      daily.first_day::timestamp at time zone t.timezone as opens_at,
      (daily.last_day + 1)::timestamp at time zone t.timezone as closes_at
    from solar.site t
    where t.company_id = daily.company
      and t.id = daily.site
      and t.deleted_at is null
  ),
  reading as (
    select s.taken_at, s.inverter_kw, s.meter_kwh, p.timezone
    from place p
    join solar.sample s
      on s.company_id = daily.company
      and s.site_id = daily.site
      and s.meter_kwh is not null
      and s.taken_at >= coalesce((
            select max(b.taken_at)
            from solar.sample b
            where b.company_id = daily.company
              and b.site_id = daily.site
              and b.meter_kwh is not null
              and b.taken_at < p.opens_at), p.opens_at)
      -- A silence that began in these days ends with the first sample after them.
      and (s.taken_at < p.closes_at
        or daily.spread and s.taken_at = (
            select min(a.taken_at)
            from solar.sample a
            where a.company_id = daily.company
              and a.site_id = daily.site
              and a.meter_kwh is not null
              and a.taken_at >= p.closes_at))
  ),
  paired as (
    select
      r.taken_at, r.inverter_kw, r.timezone,
      lag(r.taken_at) over w as previous_at,
      case
        when lag(r.meter_kwh) over w is null then 0
        when r.meter_kwh >= lag(r.meter_kwh) over w then r.meter_kwh - lag(r.meter_kwh) over w
        else r.meter_kwh
      end as step
    from reading r
    window w as (order by r.taken_at)
  ),
  share as (
    select
      (p.taken_at at time zone p.timezone)::date as day,
      p.step as kwh,
      p.inverter_kw,
      p.taken_at - p.previous_at as gap
    from paired p
    where not daily.spread
      or p.previous_at is null
      or (p.previous_at at time zone p.timezone)::date = (p.taken_at at time zone p.timezone)::date
    union all
    -- A step over midnight, by the time that each day had of it; rounded where days meet, so that no watt-hour
    -- is lost or made.
    select
      d.day,
      round(p.step * extract(epoch from d.ends_at - p.previous_at)
        / extract(epoch from p.taken_at - p.previous_at), 3)
      - round(p.step * extract(epoch from d.begins_at - p.previous_at)
        / extract(epoch from p.taken_at - p.previous_at), 3),
      case when d.is_last then p.inverter_kw end,
      case when d.is_last then p.taken_at - p.previous_at end
    from paired p
    cross join lateral (
      select
        g.day::date as day,
        greatest(g.day at time zone p.timezone, p.previous_at) as begins_at,
        least((g.day + interval '1 day') at time zone p.timezone, p.taken_at) as ends_at,
        g.day::date = (p.taken_at at time zone p.timezone)::date as is_last
      from generate_series(
        (p.previous_at at time zone p.timezone)::date::timestamp,
        (p.taken_at at time zone p.timezone)::date::timestamp,
        interval '1 day') g (day)
    ) d
    where daily.spread
      and (p.previous_at at time zone p.timezone)::date < (p.taken_at at time zone p.timezone)::date
  )
  select h.day, sum(h.kwh), max(h.inverter_kw), max(h.gap)
  from share h
  where h.day between daily.first_day and daily.last_day
  group by h.day
  order by h.day;
end;

comment on function solar.daily(uuid, uuid, date, date, boolean) is
  'Energy, peak power and longest silence of a site''s days, as v_daily has them; with spread, a step over '
  'midnight is shared out among its days by time instead of counting for the last.';

revoke execute on function solar.daily(uuid, uuid, date, date, boolean) from public;
grant execute on function solar.daily(uuid, uuid, date, date, boolean)
  to fettle_app, fettle_worker, fettle_admin;

create view solar.v_recording with (security_invoker = true) as
select
  r.company_id, r.id, r.version,
  r.created_by, r.created_at, r.updated_by, r.updated_at, r.client_created_at,
  r.site_id, r.type, r.quantity, r.unit, r.value, r.taken_at,
  r.upload_attempts, r.push_attempts, r.pushed_at, r.utility_ref, r.last_error,
  r.status, r.status_category,
  s.name as site_name
from solar.recording r
join solar.site s on s.company_id = r.company_id and s.id = r.site_id
where r.deleted_at is null;

comment on view solar.v_recording is 'Recordings with the name of their site.';
comment on column solar.v_recording.site_name is 'Name of the site.';
