-- Returns the time of the last sample that counter_steps needs to compute what a site's counter counted before `ends`,
-- as it would with all samples; infinity if it needs all.
--
-- Goes on from `ends` until a run has risen twice and lasted more than an hour: no later reading takes that back.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function solar.counted_through(company uuid, site uuid, ends timestamptz) returns timestamptz
  language sql stable
begin atomic
  with recursive ahead as (
    (
      select
        s.taken_at, s.meter_kwh, s.taken_at as begins_at, 0 as rises,
        solar.power_limit(counted_through.company, counted_through.site) as per_hour
      from solar.sample s
      where s.company_id = counted_through.company
        and s.site_id = counted_through.site
        and s.meter_kwh is not null
        and s.taken_at >= counted_through.ends
      order by s.taken_at
      limit 1
    )
    union all
    select
      x.taken_at, x.meter_kwh,
      case when f.follows then a.begins_at else x.taken_at end,
      case when f.follows then a.rises + (x.meter_kwh > a.meter_kwh)::integer else 0 end,
      a.per_hour
    from ahead a
    cross join lateral (
      select s.taken_at, s.meter_kwh, s.first_kwh
      from solar.sample s
      where s.company_id = counted_through.company
        and s.site_id = counted_through.site
        and s.meter_kwh is not null
        and s.taken_at > a.taken_at
      order by s.taken_at
      limit 1
    ) x
    cross join lateral (
      select x.first_kwh is null
        and x.meter_kwh >= a.meter_kwh
        and (x.meter_kwh - a.meter_kwh) * 3600 <= a.per_hour * extract(epoch from x.taken_at - a.taken_at) as follows
    ) f
    where not (a.rises >= 2 and a.taken_at - a.begins_at > interval '1 hour')
  )
  select coalesce(max(a.taken_at), 'infinity') from ahead a;
end;
