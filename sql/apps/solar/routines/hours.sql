-- Returns the hours of a site's day in its own time zone, 23 or 25 of them when clocks change, with the energy counted in
-- each: what was counted across hours is divided among them by time. Null energy for an hour that no readings cover.
--
-- Reads only the samples of the day and those around it that decide what counts.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function solar.hours(company uuid, site uuid, day date)
  returns table (starts_at timestamptz, timezone text, kwh numeric, peak_kw numeric)
  language sql stable
begin atomic
  with recursive place as (
    select
      z.timezone,
      solar.power_limit(t.company_id, t.id) as power_limit,
      hours.day::timestamp at time zone z.timezone as opens_at,
      (hours.day + 1)::timestamp at time zone z.timezone as closes_at
    from solar.site t
    cross join lateral (select core.known_zone(t.timezone) as timezone) z
    where t.company_id = hours.company
      and t.id = hours.site
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
      on s.company_id = hours.company
      and s.site_id = hours.site
      and s.meter_kwh is not null
      and s.taken_at >= coalesce(solar.counted_from(hours.company, hours.site, p.opens_at), p.opens_at)
      and s.taken_at <= solar.counted_through(hours.company, hours.site, p.closes_at)
  ),
  -- include: counter_steps
  ,
  hour as (
    select p.timezone, g.at as begins_at, least(g.at + interval '1 hour', p.closes_at) as ends_at
    from place p
    cross join generate_series(p.opens_at, p.closes_at - interval '1 microsecond', interval '1 hour') g (at)
  )
  select
    h.begins_at,
    h.timezone,
    (
      -- Rounded at the boundaries of hours, so that the parts add up exactly.
      select
        sum(
          round(s.step * extract(epoch from least(h.ends_at, s.at) - s.since) / extract(epoch from s.at - s.since), 3)
          - round(
            s.step * extract(epoch from greatest(h.begins_at, s.since) - s.since)
            / extract(epoch from s.at - s.since), 3))
      from step s
      where s.step is not null
        and s.since < s.at
        and s.since < h.ends_at
        and s.at > h.begins_at
    ),
    (
      select max(s.inverter_kw)
      from solar.sample s
      where s.company_id = hours.company
        and s.site_id = hours.site
        and s.taken_at >= h.begins_at
        and s.taken_at < h.ends_at
    )
  from hour h
  order by h.begins_at;
end;
