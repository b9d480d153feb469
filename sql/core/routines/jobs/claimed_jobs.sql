-- Returns the jobs of some claims of a worker, in the order of the batch; place is the position of the claim
-- in the arguments, from 1.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_sort = off, enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off,
--      enable_mergejoin = off, jit = off, plan_cache_mode = force_generic_plan
create function core.claimed_jobs(p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[])
  returns table (
    place integer, id uuid, round integer, attempt integer, max_attempts integer, payload jsonb, unique_key text,
    cause_type text, cause_id uuid, trace_id text, is_alone boolean, ready_at timestamptz, is_cancelled boolean)
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select x.place::integer, j.id, j.round, j.attempt + 1, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
      j.trace_id, j.is_alone, j.ready_at,
      exists (select from core.job_stop t where t.company_id = c.company_id and t.id = j.id and t.round = j.round)
    from unnest(p_weeks, p_companies, p_lanes, p_nos) with ordinality x (week, company_id, lane, no, place)
    cross join lateral (
      select c.company_id, c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs, c.worker_id from core.job_claim c
      where c.week = x.week and (c.company_id, c.lane, c.no) >= (x.company_id, x.lane, x.no)
        and (c.company_id, c.lane, c.no) <= (x.company_id, x.lane, x.no)
      limit 1
    ) c
    cross join lateral (
      -- All weeks are read: a lane that was paused can have jobs of many weeks.
      -- include: batch_of_lane of=c columns=p.* limit=c.jobs also=true
    ) j
    where c.worker_id = p_worker;
end
$$;
