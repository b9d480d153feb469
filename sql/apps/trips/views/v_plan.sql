-- Plans with their numbers of stops and days.
create view trips.v_plan with (security_invoker = true) as
select
  p.company_id, p.id, p.version,
  p.created_by, p.created_at, p.updated_by, p.updated_at, p.client_created_at,
  p.conversation_id, p.title, p.destination, p.lat, p.lon,
  p.starts_on, p.ends_on, p.summary,
  p.status, p.status_category,
  s.stop_count,
  coalesce(p.ends_on - p.starts_on + 1, s.last_day) as days
from trips.plan p
cross join lateral (
  select
    count(*) as stop_count,
    max(x.day_no) as last_day
  from trips.stop x
  where x.company_id = p.company_id
    and x.created_by = p.created_by
    and x.plan_id = p.id
    and x.deleted_at is null
) s
where p.deleted_at is null;

comment on column trips.v_plan.stop_count is 'Number of stops.';
comment on column trips.v_plan.days is
  'Number of days from first to last day; if a date is missing, the last day of the stops, null without stops.';
