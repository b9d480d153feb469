-- Claims short batches of lanes and returns their jobs in the same statement: one row per lane, and rows with
-- the jobs.
--
-- jobs = -1 in the row of a lane: use core.take_batches() for it. No row for a lane: another worker has
-- locked it. Raises FT010 if the worker is not registered or its lease has expired.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_sort = off, enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off,
--      enable_mergejoin = off, jit = off, plan_cache_mode = force_generic_plan
create function core.take_short_batches(p_worker uuid, p_batch bigint, p_companies uuid[], p_lanes uuid[], p_each integer[])
  returns table (
    place integer, no bigint, week date, jobs integer, claimed_at timestamptz, ends_lane boolean,
    id uuid, round integer, attempt integer, max_attempts integer, payload jsonb, unique_key text,
    cause_type text, cause_id uuid, trace_id text, is_alone boolean, ready_at timestamptz, is_cancelled boolean)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_week constant date := date_trunc('week', now())::date;
  v_own xid8;
  v_places integer[];
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was declared lost' using errcode = 'FT010';
  end if;
  v_own := pg_current_xact_id();
  -- Locks the lanes as core.take_batches() does.
  select array_agg(x.place order by x.place) into v_places
  from unnest(p_lanes) with ordinality x (lane, place)
  where pg_try_advisory_xact_lock(hashtextextended(x.lane::text, 7450));
  return query
    with head as materialized (
      select l.place, p_companies[l.place] as company_id, p_lanes[l.place] as lane, p_each[l.place] as each,
        greatest(coalesce(c.no, 0) + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as no,
        coalesce(c.before, '1:1:') as before, coalesce(c.upto, '1:1:') as upto,
        coalesce(c.last_xid, '0') as after_xid, coalesce(c.last_id, nobody) as after_id,
        -- The common case, as of the snapshot up to which the batch goes: all rows and claims are of this
        -- week, their transactions began after those of earlier weeks, and no transaction that was in
        -- progress at the last claim has enqueued in this lane.
        pg_snapshot_xmin(coalesce(c.before, '1:1:'))
            > (select coalesce(max(p.xid), '0') from core.job_queued p where p.week < v_week)
          and not exists (select from core.job_queued p where p.week >= v_week + 7)
          and not exists (select from core.job_claim o where o.week >= v_week + 7)
          and (c.no is not null or not exists (select from core.job_claim o where o.week < v_week))
          and (c.no is null
            or pg_snapshot_xmin(c.before) = pg_snapshot_xmax(c.before) and pg_snapshot_xmin(c.upto) = pg_snapshot_xmax(c.upto)
            or not exists (
              select from (
                select x.xid from pg_snapshot_xip(c.before) x (xid)
                union all
                select x.xid from pg_snapshot_xip(c.upto) x (xid)
              ) x
              cross join lateral (
                select from core.job_queued p
                where (p.lane, p.xid, p.id) > (p_lanes[l.place], x.xid, nobody)
                  and p.lane <= p_lanes[l.place] and p.xid <= x.xid and p.week = v_week
                order by p.lane, p.xid, p.id
                limit 1
              ) p))
          as is_common
      from unnest(v_places) l (place)
      left join lateral (
        select c.no, c.before, c.upto, c.last_xid, c.last_id from core.job_claim c
        where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week = v_week
        order by c.no desc
        limit 1
      ) c on true
    ), taken as materialized (
      -- The rest of the rows that the last claim's upper snapshot sees; if there are none, the rows committed
      -- since.
      select h.place, h.company_id, h.lane, h.no, f.total, f.is_left,
        case when f.is_left then h.before else h.upto end as before,
        case when f.is_left then h.upto else pg_current_snapshot() end as upto,
        case when f.is_left then h.after_xid else '0' end as after_xid,
        case when f.is_left then h.after_id else nobody end as after_id,
        f.xids[f.total] as last_xid, f.ids[f.total] as last_id,
        f.found <= f.total as ends_lane, h.is_common and f.is_alone is not true as is_common, f.queued[1:f.total] as queued,
        exists (select from core.job_stop t where t.company_id = h.company_id) as has_stops
      from head h
      cross join lateral (
        select j.*, j.xids[1] < pg_snapshot_xmax(h.upto) as is_left,
          case
            when j.xids[1] < pg_snapshot_xmax(h.upto)
            then least(h.each, (select count(*) from unnest(j.xids) x (xid) where x.xid < pg_snapshot_xmax(h.upto)))
            else least(h.each, j.found)
          end::integer as total
        from (
          select array_agg(j.queued) as queued, array_agg(j.xid) as xids, array_agg(j.id) as ids, count(*) as found,
            bool_or(j.is_alone) as is_alone
          from (
            select p.xid, p.id, p.is_alone, p::core.job_queued as queued from core.job_queued p
            where
              -- include: behind_claim of=h
              and p.week = v_week and p.xid <> v_own
            order by p.lane, p.xid, p.id
            limit case when h.is_common then h.each + 1 else 0 end  -- one more says whether the lane has more
          ) j
        ) j
        offset 0
      ) f
    ), made as (
      insert into core.job_claim
        (week, company_id, lane, no, worker_id, batch, at, before, upto, after_xid, after_id, last_xid, last_id, last_week,
         jobs)
      select v_week, s.company_id, s.lane, s.no, p_worker, p_batch, clock_timestamp(), s.before, s.upto, s.after_xid,
        s.after_id, s.last_xid, s.last_id, v_week, s.total
      from taken s
      where s.is_common and s.total > 0
      returning at
    ), moment as materialized (
      select max(m.at) as at from made m
    )
    -- A row for each lane: the number of jobs, 0 if the lane is empty, -1 if it is not the common case.
    select s.place, s.no, v_week, case when s.is_common then s.total else -1 end,
      case when s.is_common and s.total > 0 then m.at end, s.is_common and s.ends_lane, null::uuid, null::integer, null::integer,
      null::integer, null::jsonb, null::text, null::text, null::uuid, null::text, null::boolean, null::timestamptz,
      null::boolean
    from taken s
    cross join moment m
    union all
    select s.place, null, null, null, null, null, p.id, p.round, p.attempt + 1, p.max_attempts, p.payload, p.unique_key,
      p.cause_type, p.cause_id, p.trace_id, p.is_alone, p.ready_at,
      s.has_stops and exists (
        select from core.job_stop t where t.company_id = s.company_id and t.id = p.id and t.round = p.round)
    from taken s
    cross join lateral unnest(s.queued) p
    where s.is_common and s.total > 0;
end
$$;
