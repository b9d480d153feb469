-- Devices of each company, what waits on them or for a person, and how far they are behind.
-- columns: company_id uuid, company text, device uuid, member text, name text, app text, pending integer,
--   conflicts bigint, failed bigint, oldest timestamp with time zone, behind bigint,
--   last_push_at timestamp with time zone, last_pull_at timestamp with time zone, revoked_at timestamp with time zone
create view report.v1_sync_health with (security_invoker = true, security_barrier = true) as
select
  d.company_id,
  c.slug as company,
  d.id as device,
  u.name as member,
  d.name,
  d.app,
  d.queue_pending as pending,
  i.conflicts,
  i.failed + d.queue_failed as failed,
  d.queue_oldest as oldest,
  greatest(coalesce(f.seq, 0) - d.cursor_seq, 0) as behind,
  d.last_push_at,
  d.last_pull_at,
  d.revoked_at
from core.device d
join core.company c on c.id = d.company_id
join core.app_user u on u.id = d.user_id
cross join lateral core.device_waiting(d.company_id, d.id) i
left join lateral (
  select x.seq
  from core.feed x
  where x.company_id = d.company_id
  order by x.seq desc
  limit 1
) f on true;

comment on column report.v1_sync_health.company_id is 'The company.';
comment on column report.v1_sync_health.company is 'Short name of the company.';
comment on column report.v1_sync_health.device is 'Id of the device.';
comment on column report.v1_sync_health.member is 'Name of the member who uses the device.';
comment on column report.v1_sync_health.name is 'Name of the device.';
comment on column report.v1_sync_health.app is 'App whose records the device has; null for those of all apps.';
comment on column report.v1_sync_health.pending is 'Changes that wait on the device, as it said last.';
comment on column report.v1_sync_health.conflicts is
  'Changes in conflict, which wait for a person, those of private records too.';
comment on column report.v1_sync_health.failed is 'Changes that were refused, those of private records too, or that failed on the device.';
comment on column report.v1_sync_health.oldest is
  'Time of the oldest change that waits on the device, as it said last; null if none.';
comment on column report.v1_sync_health.behind is
  'Number of positions in the company''s feed after the device''s own; not all of them concern the device.';
comment on column report.v1_sync_health.last_push_at is 'Time at which the device last sent changes; null if never.';
comment on column report.v1_sync_health.last_pull_at is 'Time at which the device last asked for changes; null if never.';
comment on column report.v1_sync_health.revoked_at is 'Time from which the device is refused; null if it is not.';
