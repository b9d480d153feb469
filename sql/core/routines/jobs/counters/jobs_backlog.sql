-- Returns the number of ready, unclaimed jobs by queue and kind as of the last count, and the time since
-- which the oldest has been ready.
--
-- p_company: null for all companies. oldest_is_exact: false if a lane that was not examined may have an older
-- job.
--
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_auth
-- set: enable_seqscan = off, enable_bitmapscan = off, jit = off, plan_cache_mode = force_generic_plan
create function core.jobs_backlog(p_company uuid)
  returns table (
    queue text, kind text, jobs bigint, oldest_at timestamptz, oldest_is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  every constant uuid := '00000000-0000-7000-8000-000000000000';
  probes constant integer := 4;
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  return query
    with stopped as materialized (
      select p.company_id, p.lane, count(*) as jobs
      from core.job_stop s
      cross join lateral (
        select p.company_id, p.lane, p.xid, p.id
        from core.job_queued p
        where p.company_id = s.company_id and p.id = s.id and p.round = s.round
        limit 1
      ) p
      where (p_company is null or s.company_id = p_company)
        and not core.is_claimed(p.company_id, p.lane, p.xid, p.id)
      group by p.company_id, p.lane
    ), open as materialized (
      select t.company_id, t.lane, t.queue, t.kind, t.claim_no, greatest(t.since_xid, t.claim_xid) as bound,
        (t.enqueued - t.claimed - coalesce(s.jobs, 0))::integer as jobs
      from core.job_count t
      left join stopped s on s.company_id = t.company_id and s.lane = t.lane
      where t.enqueued > t.claimed and (p_company is null or t.company_id = p_company)
    ), ranked as materialized (
      select o.*, row_number() over (partition by o.queue, o.kind order by o.bound, o.lane) as place
      from open o
      where o.jobs > 0
    ), heads as (
      -- The oldest unclaimed row of a lane is behind its last claim. Only the first lanes by their bound are
      -- examined: a lane with a later bound than the oldest row found cannot have an older one.
      select r.queue, r.kind, r.place, r.bound, h.xid, h.created_at
      from ranked r
      cross join lateral (
        select p.xid, p.created_at
        from core.job_claim c
        cross join lateral (
          select p.xid, p.created_at
          from core.batch_places(r.lane, c.before, c.upto, c.last_xid, c.last_id, 1) s
          join core.job_queued p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
          union all
          select p.xid, p.created_at
          from core.batch_places(r.lane, c.upto, pg_current_snapshot(), '0', nobody, 1) s
          join core.job_queued p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
          limit 1
        ) p
        where c.company_id = r.company_id and c.lane = r.lane and c.no = r.claim_no
        union all
        (select p.xid, p.created_at
         from core.job_queued p
         where r.claim_no = 0 and (p.lane, p.xid, p.id) > (r.lane, '0'::xid8, nobody) and p.lane <= r.lane
         order by p.lane, p.xid, p.id
         limit 1)
        limit 1
      ) h
      where r.place <= probes
    ), oldest as (
      select h.queue, h.kind, min(h.xid) as xid, min(h.created_at) as created_at
      from heads h
      group by h.queue, h.kind
    ), summed as (
      select r.queue, r.kind, sum(r.jobs)::bigint as jobs, min(r.bound) filter (where r.place = probes + 1) as next_bound
      from ranked r
      group by r.queue, r.kind
    )
    select s.queue, s.kind, s.jobs,
      -- A retried job was created long before it became ready: use the time at which its last row was
      -- enqueued.
      greatest(o.created_at, m.at), coalesce(s.next_bound >= o.xid, s.next_bound is null)
    from summed s
    left join oldest o on o.queue = s.queue and o.kind = s.kind
    left join lateral (
      select m.at from core.job_moment m where m.company_id = every and m.xid <= o.xid order by m.xid desc limit 1
    ) m on true;
end
$$;
