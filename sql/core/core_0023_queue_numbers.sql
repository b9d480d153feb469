-- How many jobs there are of every company together, for the metrics of workers, who see one company at a time: numbers
-- by queue and kind, and nothing that tells a company from another.

-- A function's body is checked as its maker, who is refused here under row_security = off.
set local row_security = on;

create function core.job_numbers()
  returns table (queue text, kind text, state text, jobs bigint, oldest_seconds double precision)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select b.queue, b.kind, 'queued', b.jobs, extract(epoch from clock_timestamp() - b.oldest_at)::double precision
  from core.jobs_backlog(null) b
  union all
  select r.queue, r.kind, 'running', r.jobs, null
  from core.jobs_running(null) r
  union all
  select a.queue, a.kind, a.state, a.jobs, null
  from core.jobs_set_aside(null) a
$$;

comment on function core.job_numbers() is
  'How many jobs of all companies there are by queue, kind and state, as of the tally, and for how long the oldest that is ready has waited.';

revoke execute on function core.job_numbers() from public;
grant execute on function core.job_numbers() to fettle_worker, fettle_admin;
grant execute on function core.jobs_backlog(uuid), core.jobs_running(uuid), core.jobs_set_aside(uuid) to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.job_numbers() owner to fettle_auth;
revoke create on schema core from fettle_auth;
