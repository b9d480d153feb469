-- Returns the unacknowledged claims of registered workers in one company, or in all if p_company is null.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.open_claims_of(p_company uuid)
  returns table (company_id uuid, lane uuid, no bigint, worker_id uuid, before pg_snapshot, upto pg_snapshot,
    after_xid xid8, after_id uuid, last_xid xid8, last_id uuid, jobs integer)
  language plpgsql stable
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select c.company_id, c.lane, c.no, c.worker_id, c.before, c.upto, c.after_xid, c.after_id, c.last_xid, c.last_id,
      c.jobs
    from core.worker w
    cross join lateral (
      select c.*
      from core.job_claim c
      where (c.worker_id, c.batch) >= (w.id, w.oldest_batch) and c.worker_id <= w.id
        and (p_company is null or c.company_id = p_company)
      offset 0
    ) c
    where not exists (
      select from core.job_ack s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no);
end
$$;
