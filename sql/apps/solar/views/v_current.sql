-- The newest sample of each site; a site without samples has no row.
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

comment on column solar.v_current.site_id is 'The site.';
comment on column solar.v_current.inverter_reading is
  'Power in kW; negative if the inverter draws power, null if not measured.';
comment on column solar.v_current.meter_reading is 'Reading of the energy counter in kWh; null if not measured.';
comment on column solar.v_current."timestamp" is 'Time of the newest sample.';
comment on column solar.v_current.age_seconds is 'Age of the newest sample in seconds.';
comment on column solar.v_current.stale is 'True if the newest sample is more than two minutes old.';
