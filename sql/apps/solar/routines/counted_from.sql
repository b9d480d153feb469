-- Returns the time of a sample from which counter_steps computes what a site's counter counted after `before`, as it
-- would from the first sample; null if the site has no sample before.
--
-- Goes back from `before` to the end of a run that surely counts: it rises twice and lasts more than an hour, or begins
-- with a new counter that somebody reported. So the cost does not depend on the length of the site's history.
--
-- execute: fettle_app, fettle_worker, fettle_admin
create function solar.counted_from(company uuid, site uuid, before timestamptz) returns timestamptz
  language sql stable
begin atomic
  with recursive back as (
    (
      select
        s.taken_at, s.meter_kwh, s.first_kwh, s.taken_at as ends_at, 0 as rises,
        solar.power_limit(counted_from.company, counted_from.site) as per_hour
      from solar.sample s
      where s.company_id = counted_from.company
        and s.site_id = counted_from.site
        and s.meter_kwh is not null
        and s.taken_at < counted_from.before
      order by s.taken_at desc
      limit 1
    )
    union all
    select
      x.taken_at, x.meter_kwh, x.first_kwh,
      case when f.follows then b.ends_at else x.taken_at end,
      case when f.follows then b.rises + (x.meter_kwh < b.meter_kwh)::integer else 0 end,
      b.per_hour
    from back b
    cross join lateral (
      select s.taken_at, s.meter_kwh, s.first_kwh
      from solar.sample s
      where s.company_id = counted_from.company
        and s.site_id = counted_from.site
        and s.meter_kwh is not null
        and s.taken_at < b.taken_at
      order by s.taken_at desc
      limit 1
    ) x
    cross join lateral (
      select b.meter_kwh >= x.meter_kwh
        and (b.meter_kwh - x.meter_kwh) * 3600 <= b.per_hour * extract(epoch from b.taken_at - x.taken_at) as follows
    ) f
    where b.first_kwh is null
      and not (b.rises >= 2 and b.ends_at - b.taken_at > interval '1 hour')
  )
  select min(b.taken_at) from back b;
end;
