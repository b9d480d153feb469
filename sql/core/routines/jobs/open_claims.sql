-- Returns the unacknowledged claims of some batches of a worker.
--
-- For requests whose answer never reached the worker.
--
-- owner: fettle_auth
-- execute: fettle_worker
create function core.open_claims(p_worker uuid, p_batches bigint[])
  returns table (company_id uuid, lane uuid, no bigint)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select c.company_id, c.lane, c.no
  from core.job_claim c
  where c.worker_id = p_worker and c.batch = any (p_batches)
    and not exists (
      select from core.job_ack s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no)
$$;
