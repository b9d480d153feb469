-- Registered worker processes, including lost ones that have not been rescued yet.
-- columns: company_id uuid, host text, pid integer, queues text[], started_at timestamp with time zone,
--   heartbeat_at timestamp with time zone, is_alive boolean
create view report.v1_worker with (security_invoker = true, security_barrier = true) as
select
  c.id as company_id,
  w.host,
  w.pid,
  w.queues,
  w.started_at,
  w.heartbeat_at,
  w.lease_until > now() as is_alive
from core.worker w
cross join core.company c
where c.kind = 'system';

comment on column report.v1_worker.company_id is 'The system company; workers serve all companies.';
comment on column report.v1_worker.host is 'Host of the process.';
comment on column report.v1_worker.pid is 'Process id on its host.';
comment on column report.v1_worker.queues is 'Queues that the worker serves.';
comment on column report.v1_worker.started_at is 'Start time of the process.';
comment on column report.v1_worker.heartbeat_at is 'Time of the last heartbeat.';
comment on column report.v1_worker.is_alive is 'True if the worker''s lease has not expired.';
