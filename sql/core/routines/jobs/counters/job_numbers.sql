-- Returns the number of jobs of all companies by queue, kind and state, and the age of the oldest queued job
-- in seconds.
--
-- For the metrics of workers, which otherwise see one company at a time. The totals reveal nothing about a
-- single company.
--
-- owner: fettle_auth
-- execute: fettle_worker, fettle_admin
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
  from core.jobs_deferred(null) a
$$;
