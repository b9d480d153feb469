-- Meters with their newest reading, and the units counted since the first reading across resets.
create view maintenance.v_meter with (security_invoker = true) as
select
  m.company_id, m.id, m.version,
  m.created_by, m.created_at, m.updated_by, m.updated_at, m.client_created_at,
  m.machine_id, m.name, m.unit,
  l.value as last_value,
  l.taken_at as last_taken_at,
  t.total_units,
  a.code as machine_code
from maintenance.meter m
join maintenance.machine a on a.company_id = m.company_id and a.id = m.machine_id
left join lateral (
  select r.value, r.taken_at
  from maintenance.meter_reading r
  where r.company_id = m.company_id
    and r.meter_id = m.id
    and r.deleted_at is null
  order by r.taken_at desc
  limit 1
) l on true
cross join lateral maintenance.meter_state(m.company_id, m.id) t
where m.deleted_at is null;

comment on column maintenance.v_meter.last_value is 'Newest reading in the meter''s unit; null without a reading.';
comment on column maintenance.v_meter.last_taken_at is 'Time of the newest reading; null without a reading.';
comment on column maintenance.v_meter.total_units is 'Units counted since the first reading, across resets.';
comment on column maintenance.v_meter.machine_code is 'Code of the machine.';
