-- Acknowledges finished claims of a worker, with a flag per claim that says whether any of its jobs
-- succeeded; returns the claims that the worker no longer has.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.ack_claims(
    p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[], p_success boolean[] default null)
  returns table (company_id uuid, lane uuid, no bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  v_acknowledged integer;
begin
  insert into core.job_ack (week, company_id, lane, no, outcome, has_success)
  select c.week, c.company_id, c.lane, c.no, 'finished', coalesce(x.has_success, true)
  from unnest(p_weeks, p_companies, p_lanes, p_nos, p_success) x (week, company_id, lane, no, has_success)
  cross join lateral (
    -- Compared as a row: only the index on the whole key fits. In a new week all indexes look equally good to
    -- the planner, and the index on workers would read every claim of this worker.
    select c.week, c.company_id, c.lane, c.no, c.worker_id
    from core.job_claim c
    where c.week = x.week and (c.company_id, c.lane, c.no) >= (x.company_id, x.lane, x.no)
      and (c.company_id, c.lane, c.no) <= (x.company_id, x.lane, x.no)
    limit 1
  ) c
  where c.worker_id = p_worker
  on conflict do nothing;
  get diagnostics v_acknowledged = row_count;
  -- The usual case: no claim was lost, and no second query is needed.
  if v_acknowledged = cardinality(p_nos) then return; end if;
  return query
    select x.company_id, x.lane, x.no
    from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
    where not exists (
      select from core.job_ack s
      where s.week = x.week and s.company_id = x.company_id and s.lane = x.lane and s.no = x.no
        and s.outcome = 'finished');
end
$$;
