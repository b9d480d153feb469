-- Returns the newest queued rows of some lanes, older than a place, in any state.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      max_parallel_workers_per_gather = 0, jit = off, plan_cache_mode = force_generic_plan
create function core.queued_places(p_companies uuid[], p_lanes uuid[], p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  return query
    select l.company_id, l.lane, p.xid, p.id, false
    from (
      select x.company_id, x.lane,
        case when x.lane < p_before.lane then last_place when x.lane = p_before.lane then p_before.id else nobody end
          as below_id
      from unnest(p_companies, p_lanes) x (company_id, lane)
    ) l
    cross join lateral (
      select p.xid, p.id
      from core.job_queued p
      where (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id) and p.lane >= l.lane
      order by p.lane desc, p.xid desc, p.id desc
      limit p_limit
    ) p
    order by p.xid desc, l.lane desc, p.id desc
    limit p_limit;
end
$$;
