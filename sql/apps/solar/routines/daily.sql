-- Returns energy, peak power and longest gap of a site's days, as in v_daily. With spread, energy counted
-- across midnight is divided among its days by time, instead of counting for the last day.
--
-- Reads only the samples of the requested days and the nearest one before, with spread also the nearest one
-- after. The cost does not depend on the length of the site's history.
--
-- execute: fettle_app, fettle_worker, fettle_admin
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
      z.timezone,
      daily.first_day::timestamp at time zone z.timezone as opens_at,
      (daily.last_day + 1)::timestamp at time zone z.timezone as closes_at
    from solar.site t
    cross join lateral (select core.known_zone(t.timezone) as timezone) z
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
      -- With spread, the first sample after these days ends a gap that began in them.
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
    -- The part of the energy counted across midnight that belongs to the day, by time. Rounded at the
    -- boundaries of days, so that the parts add up exactly.
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
