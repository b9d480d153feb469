-- Schedules of each company, with their last and next run.
-- columns: company_id uuid, company text, schedule text, kind text, cron text, timezone text,
--   is_paused boolean, last_at timestamp with time zone, next_at timestamp with time zone,
--   zone_unknown boolean
create view report.v1_schedule with (security_invoker = true, security_barrier = true) as
select
  s.company_id,
  c.slug as company,
  s.name as schedule,
  s.kind,
  s.cron,
  coalesce(s.timezone, c.timezone) as timezone,
  s.paused_at is not null as is_paused,
  s.last_at,
  case when s.next_at > '-infinity' then s.next_at end as next_at,
  core.known_zone(coalesce(s.timezone, c.timezone)) <> coalesce(s.timezone, c.timezone) as zone_unknown
from core.schedule s
join core.company c on c.id = s.company_id;

comment on column report.v1_schedule.company_id is 'The company.';
comment on column report.v1_schedule.company is 'Short name of the company.';
comment on column report.v1_schedule.schedule is 'Name of the schedule.';
comment on column report.v1_schedule.kind is 'Kind of job that the schedule enqueues.';
comment on column report.v1_schedule.cron is 'Cron expression of the schedule.';
comment on column report.v1_schedule.timezone is 'Time zone of the expression.';
comment on column report.v1_schedule.is_paused is 'True if the schedule is paused.';
comment on column report.v1_schedule.last_at is 'Scheduled time of the last enqueued job; null if none.';
comment on column report.v1_schedule.next_at is
  'Time at which the next job is due; null if not computed yet, infinity if never again.';
comment on column report.v1_schedule.zone_unknown is
  'True if the time zone is unknown to PostgreSQL: the expression is in UTC.';
