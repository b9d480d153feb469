-- Returns the newest rows of some lanes, older than a place, that claims show as succeeded; the caller checks
-- each one.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      max_parallel_workers_per_gather = 0, jit = off, plan_cache_mode = force_generic_plan
create function core.done_places(p_companies uuid[], p_lanes uuid[], p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  most_examined constant integer := 4 * p_limit;
begin
  return query
    with asked as materialized (
      select x.company_id, x.lane,
        case when x.lane < p_before.lane then last_place when x.lane = p_before.lane then p_before.id else nobody end
          as below_id,
        -- The newest claim known to contain a success, and the last position that this claim and earlier ones
        -- can cover.
        coalesce(h.no, 0) as no, coalesce(greatest(h.last_xid, pg_snapshot_xmax(h.before)), '0') as done_xid,
        case when h.last_xid >= pg_snapshot_xmax(h.before) then h.last_id else nobody end as done_id
      from unnest(p_companies, p_lanes) x (company_id, lane)
      left join lateral (
        select c.no, c.before, c.last_xid, c.last_id
        from (
          select s.no, s.week
          from core.job_ack s
          where s.company_id = x.company_id and s.lane = x.lane and s.has_success
          order by s.company_id desc, s.lane desc, s.no desc
          limit 1
        ) s
        cross join lateral (
          select c.no, c.before, c.last_xid, c.last_id
          from core.job_claim c
          where c.company_id = x.company_id and c.lane = x.lane and c.no = s.no and c.week = s.week
          limit 1
        ) c
      ) h on true
    )
    select f.company_id, f.lane, f.xid, f.id, f.is_gap
    from (
      (select s.company_id, s.lane, s.xid, s.id, s.number = most_examined as is_gap
       from (
         -- Sorted before the checks, so that checking stops when the page is full.
         select l.company_id, l.lane, p.xid, p.id, p.number
         from asked l
         cross join lateral (
           select p.xid, p.id, row_number() over () as number
           from (
             select p.lane, p.xid, p.id
             from core.job_queued p
             where (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id) and p.lane >= l.lane
               and (p.lane, p.xid, p.id) <= (l.lane, l.done_xid, l.done_id)
             order by p.lane desc, p.xid desc, p.id desc
             limit most_examined
           ) p
         ) p
         order by p.xid desc, l.lane desc, p.id desc
         offset 0
       ) s
       where s.number = most_examined
         or (select true from core.job_deferred w where w.company_id = s.company_id and w.id = s.id limit 1) is null
           and (select true from core.job_end e where e.company_id = s.company_id and e.id = s.id limit 1) is null
           and (select max(n.xid) from core.job_queued n where n.company_id = s.company_id and n.id = s.id) = s.xid
       limit p_limit)
      union all
      -- From later, unacknowledged claims: only jobs with a successful attempt row.
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        select c.no, c.week from core.job_claim c where c.company_id = l.company_id and c.lane = l.lane and c.no > l.no
        except
        select s.no, s.week from core.job_ack s
        where s.company_id = l.company_id and s.lane = l.lane and s.no > l.no
      ) o
      cross join lateral (
        select c.before, c.upto, c.after_xid, c.after_id, c.jobs
        from core.job_claim c
        where c.company_id = l.company_id and c.lane = l.lane and c.no = o.no and c.week = o.week
        limit 1
      ) c
      cross join lateral core.batch_places(l.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) p
      where (p.xid, p.id) < (p_before.xid, l.below_id) and (p.xid, p.id) > (l.done_xid, l.done_id)
        and (
          select true from core.job_attempt a
          where a.company_id = l.company_id and a.job_id = p.id and a.fence = o.no and a.outcome = 'succeeded' limit 1)
    ) f
    order by f.xid desc, f.lane desc, f.id desc
    limit p_limit;
end
$$;
