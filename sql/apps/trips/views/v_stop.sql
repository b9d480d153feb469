-- Stops, each with the date of its day.
create view trips.v_stop with (security_invoker = true) as
select
  s.company_id, s.id, s.version,
  s.created_by, s.created_at, s.updated_by, s.updated_at, s.client_created_at,
  s.plan_id, s.day_no, s.position, s.name, s.lat, s.lon, s.best_light, s.notes,
  p.starts_on + s.day_no - 1 as visit_on
from trips.stop s
join trips.plan p
  on p.company_id = s.company_id and p.created_by = s.created_by and p.id = s.plan_id
where s.deleted_at is null
  and p.deleted_at is null;

comment on column trips.v_stop.visit_on is 'Date of the visit; null if the plan has no first day.';
