-- Claims the next batch of each of some lanes for a worker and reports which lanes are empty now; a row with
-- number 0 is a lane that had no job.
--
-- Raises FT010 if the worker is not registered or its lease has expired.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_seqscan = off, enable_bitmapscan = off, enable_hashjoin = off, enable_mergejoin = off,
--      jit = off, plan_cache_mode = force_generic_plan
create function core.take_batches(p_worker uuid, p_batch bigint, p_companies uuid[], p_lanes uuid[], p_each integer[])
  returns table (place integer, no bigint, week date, jobs integer, claimed_at timestamptz, ends_lane boolean)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_week constant date := date_trunc('week', now())::date;
  v_places integer[];
begin
  -- No need to wait for the disk: if a crash loses a claim, its jobs are claimed again, and its worker finds
  -- no claim to acknowledge.
  perform set_config('synchronous_commit', 'off', true);
  -- The rescue locks the worker's row. Without this lock a claim could be inserted after the rescue had read
  -- the claims.
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was declared lost' using errcode = 'FT010';
  end if;
  -- A lane is locked by one worker at a time; others go on to the next lane. A separate statement, so that
  -- the next one sees the commits of the previous holder of the lock.
  select array_agg(x.place order by x.place) into v_places
  from unnest(p_lanes) with ordinality x (lane, place)
  where pg_try_advisory_xact_lock(hashtextextended(x.lane::text, 7450));
  return query
    with head as materialized (
      select l.place::integer as place, p_companies[l.place] as company_id, p_lanes[l.place] as lane,
        p_each[l.place] as each,
        -- At least the time in microseconds: after a crash that lost a claim, its number must not be reused,
        -- or the old worker would acknowledge jobs that it never got.
        greatest(coalesce(h.no, 0) + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as no,
        greatest(v_week, h.week) as week,
        coalesce(h.last_week - 7, '-infinity') as from_week, coalesce(h.before, '1:1:') as before,
        coalesce(h.upto, '1:1:') as upto, coalesce(h.last_xid, '0') as after_xid, coalesce(h.last_id, nobody) as after_id
      from unnest(v_places) l (place)
      left join lateral (
        -- Claims of a lane never go back to an earlier week: the newest claim is in the newest week.
        (select c.no, c.week, c.before, c.upto, c.last_xid, c.last_id, c.last_week from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week >= v_week
         order by c.no desc limit 1)
        union all
        (select c.no, c.week, c.before, c.upto, c.last_xid, c.last_id, c.last_week from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week < v_week
         order by c.no desc limit 1)
        limit 1
      ) h on true
    ), span as materialized (
      -- The rest of the rows that the last claim's upper snapshot sees; if there are none, the rows committed
      -- since.
      select h.place, h.company_id, h.lane, h.each, h.no, h.week, h.from_week, not r.is_left as is_fresh,
        case when r.is_left then h.before else h.upto end as before,
        case when r.is_left then h.upto else pg_current_snapshot() end as upto,
        case when r.is_left then h.after_xid else '0' end as after_xid,
        case when r.is_left then h.after_id else nobody end as after_id
      from head h
      cross join lateral (
        select exists (
          -- include: batch_of_lane of=h columns=p.id limit=1 also=p.week>=h.from_week
        ) as is_left
        offset 0  -- evaluated once
      ) r
    ), taken as materialized (
      select s.*, x.found, x.total, x.is_alone, x.xids[x.total] as last_xid, x.ids[x.total] as last_id,
        x.weeks[x.total] as last_week
      from span s
      cross join lateral (
        -- A job that must be claimed alone is the first and only one of its batch.
        select a.*, a.alone[1] as is_alone,
          case when a.alone[1] then 1 else coalesce(array_position(a.alone, true) - 1, a.found) end as total
        from (
          select array_agg(j.xid) as xids, array_agg(j.id) as ids, array_agg(j.week) as weeks,
            array_agg(j.is_alone) as alone, count(*)::integer as found
          from (
            -- include: batch_of_lane of=s columns=p.xid,p.id,p.week,p.is_alone limit=s.each also=p.week>=s.from_week
          ) j
        ) a
        where a.found > 0
        offset 0
      ) x
    ), made as (
      insert into core.job_claim
        (week, company_id, lane, no, worker_id, batch, at, before, upto, after_xid, after_id, last_xid, last_id, last_week,
         jobs)
      select s.week, s.company_id, s.lane, s.no, p_worker, p_batch, clock_timestamp(), s.before, s.upto, s.after_xid,
        s.after_id, s.last_xid, s.last_id, s.last_week, s.total
      from taken s
      returning at
    ), moment as materialized (
      select max(m.at) as at from made m
    )
    select s.place, s.no, s.week, s.total, m.at, s.is_fresh and s.total = s.found and s.found < s.each and not s.is_alone
    from taken s
    cross join moment m
    union all
    -- A row with number 0: the lane is empty. No row: another worker has locked the lane.
    select h.place, 0::bigint, h.week, 0, null::timestamptz, true
    from head h
    where not exists (select from taken s where s.place = h.place);
end
$$;
