-- Returns the newest unclaimed rows of some lanes, older than a place: only first attempts, or only later
-- ones.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      max_parallel_workers_per_gather = 0, jit = off, plan_cache_mode = force_generic_plan
create function core.free_places(
    p_companies uuid[], p_lanes uuid[], p_is_again boolean, p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- Rows read per lane; the last of these is always returned, marked as a gap.
  most_examined constant integer := 4 * p_limit;
begin
  return query
    with asked as materialized (
      select x.company_id, x.lane,
        case when x.lane < p_before.lane then last_place when x.lane = p_before.lane then p_before.id else nobody end
          as below_id,
        -- Rows behind the last claim are free if their transactions began after the claim's earlier snapshot.
        -- Rows of earlier transactions can be free only if these were in progress at one of the claim's
        -- snapshots.
        greatest(coalesce(h.last_xid, '0'), coalesce(pg_snapshot_xmax(h.before), '0')) as floor_xid,
        case when h.last_xid >= pg_snapshot_xmax(h.before) then h.last_id else nobody end as floor_id,
        h.before, h.upto
      from unnest(p_companies, p_lanes) x (company_id, lane)
      left join lateral (
        select c.before, c.upto, c.last_xid, c.last_id
        from core.job_claim c
        where c.company_id = x.company_id and c.lane = x.lane
        order by c.company_id desc, c.lane desc, c.no desc
        limit 1
      ) h on true
    )
    select f.company_id, f.lane, f.xid, f.id, f.is_gap
    from (
      select l.company_id, l.lane, p.xid, p.id, p.number = most_examined as is_gap
      from asked l
      cross join lateral (
        select p.xid, p.id, p.number
        from (
          select p.xid, p.id, row_number() over () as number
          from (
            select p.lane, p.xid, p.id
            from core.job_queued p
            where not p_is_again and (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id)
              and (p.lane, p.xid, p.id) > (l.lane, l.floor_xid, l.floor_id)
            order by p.lane desc, p.xid desc, p.id desc
            limit most_examined
          ) p
        ) p
        where p.number = most_examined
          or (
            select true from core.job_queued r
            where r.lane = l.lane and r.xid = p.xid and r.id = p.id and r.attempt > 0 limit 1) is null
        limit p_limit
      ) p
      union all
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        -- Uses the index on retried rows, which are few among many others.
        select p.xid, p.id
        from core.job_queued p
        where p_is_again and (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id)
          and (p.lane, p.xid, p.id) > (l.lane, l.floor_xid, l.floor_id) and p.attempt > 0
        order by p.lane desc, p.xid desc, p.id desc
        limit p_limit
      ) p
      union all
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        select x.xid from pg_snapshot_xip(l.before) x (xid) union select x.xid from pg_snapshot_xip(l.upto) x (xid)
      ) x
      cross join lateral (
        select p.xid, p.id
        from core.job_queued p
        where (p.lane, p.xid, p.id) < (l.lane, x.xid, last_place) and (p.lane, p.xid, p.id) > (l.lane, x.xid, nobody)
          and (p.xid, p.id) < (p_before.xid, l.below_id) and (p.xid, p.id) <= (l.floor_xid, l.floor_id)
          and (not p_is_again or p.attempt > 0) and not core.is_claimed(l.company_id, l.lane, p.xid, p.id)
        order by p.lane desc, p.xid desc, p.id desc
        limit p_limit
      ) p
    ) f
    order by f.xid desc, f.lane desc, f.id desc
    limit p_limit;
end
$$;
