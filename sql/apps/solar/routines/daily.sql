-- Returns energy, peak power and longest gap of a site's days, as in v_daily. With spread, energy counted
-- across midnight is divided among its days by time, instead of counting for the last day.
--
-- Reads only the samples of the requested days and those around them that decide what counts.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function solar.daily(company uuid, site uuid, first_day date, last_day date, spread boolean default false)
  returns table (
    local_date   date,
    kwh          numeric,
    peak_kw      numeric,
    longest_gap  interval,
    uncounted    bigint,
    left_out_kwh numeric
  )
  language sql stable
begin atomic
  with recursive place as (
    select
      z.timezone,
      solar.power_limit(t.company_id, t.id) as power_limit,
      daily.first_day::timestamp at time zone z.timezone as opens_at,
      (daily.last_day + 1)::timestamp at time zone z.timezone as closes_at
    from solar.site t
    cross join lateral (select core.known_zone(t.timezone) as timezone) z
    where t.company_id = daily.company
      and t.id = daily.site
      and t.deleted_at is null
  ),
  reading as (
    select
      s.taken_at as at,
      s.meter_kwh as value,
      s.first_kwh as starts_at,
      p.power_limit as per_hour
    from place p
    join solar.sample s
      on s.company_id = daily.company
      and s.site_id = daily.site
      and s.meter_kwh is not null
      and s.taken_at >= coalesce(solar.counted_from(daily.company, daily.site, p.opens_at), p.opens_at)
      and s.taken_at <= solar.counted_through(daily.company, daily.site, p.closes_at)
  ),
  -- include: counter_steps
  ,
  share as (
    select
      (s.at at time zone p.timezone)::date as day,
      coalesce(s.step, 0) as kwh,
      s.at - s.previous_at as gap,
      s.step is null as is_uncounted,
      s.left_out
    from step s
    cross join place p
    where not daily.spread
      or s.step is null
      or s.since is null
      or (s.since at time zone p.timezone)::date = (s.at at time zone p.timezone)::date
    union all
    -- The part of the energy counted across midnight that belongs to the day, by time. Rounded at the
    -- boundaries of days, so that the parts add up exactly.
    select
      d.day,
      round(s.step * extract(epoch from d.ends_at - s.since) / extract(epoch from s.at - s.since), 3)
      - round(s.step * extract(epoch from d.begins_at - s.since) / extract(epoch from s.at - s.since), 3),
      case when d.is_last then s.at - s.previous_at end,
      false,
      case when d.is_last then s.left_out end
    from step s
    cross join place p
    cross join lateral (
      select
        g.day::date as day,
        greatest(g.day at time zone p.timezone, s.since) as begins_at,
        least((g.day + interval '1 day') at time zone p.timezone, s.at) as ends_at,
        g.day::date = (s.at at time zone p.timezone)::date as is_last
      from generate_series(
        (s.since at time zone p.timezone)::date::timestamp,
        (s.at at time zone p.timezone)::date::timestamp,
        interval '1 day') g (day)
    ) d
    where daily.spread
      and s.step is not null
      and (s.since at time zone p.timezone)::date < (s.at at time zone p.timezone)::date
  ),
  energy as (
    select
      h.day,
      sum(h.kwh) as kwh,
      max(h.gap) as longest_gap,
      count(*) filter (where h.is_uncounted) as uncounted,
      coalesce(sum(h.left_out), 0) as left_out_kwh
    from share h
    where h.day between daily.first_day and daily.last_day
    group by h.day
  ),
  power as (
    select (s.taken_at at time zone p.timezone)::date as day, max(s.inverter_kw) as peak_kw
    from place p
    join solar.sample s
      on s.company_id = daily.company
      and s.site_id = daily.site
      and s.taken_at >= p.opens_at
      and s.taken_at < p.closes_at
    group by 1
  )
  select
    coalesce(e.day, w.day), e.kwh, w.peak_kw, e.longest_gap,
    coalesce(e.uncounted, 0), coalesce(e.left_out_kwh, 0)
  from energy e
  full join power w on w.day = e.day
  order by 1;
end;
