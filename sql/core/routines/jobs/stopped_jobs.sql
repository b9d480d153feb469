-- Returns the cancelled jobs that a worker still has to end.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.stopped_jobs(p_worker uuid) returns table (company_id uuid, id uuid, round integer)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select t.company_id, t.id, t.round from core.job_stop t where t.worker_id = p_worker
$$;
