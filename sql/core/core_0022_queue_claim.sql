-- Posting a job, and claiming slices of lanes.

-- A function's body is checked as its maker, who is still the owner here: under row_security = off that is
-- refused for any table with policies.
set local row_security = on;

-- One job, in the rights of the caller: the company is set for this transaction as for any other, and row-level security
-- holds. One statement, so that a job that is enqueued alone costs no more than an insert.
create function core.post_job(
    p_company uuid, p_lane uuid, p_id uuid, p_queue text, p_kind text, p_priority smallint, p_max_attempts integer,
    p_cause_type text, p_cause_id uuid, p_trace_id text, p_payload jsonb)
  returns void
  language plpgsql
  set search_path = core, pg_temp
as $$
begin
  perform set_config('fettle.company_id', p_company::text, true);
  insert into core.job_post
    (company_id, lane, id, queue, kind, priority, max_attempts, cause_type, cause_id, trace_id, payload)
  values (p_company, p_lane, p_id, p_queue, p_kind, p_priority, p_max_attempts, p_cause_type, p_cause_id, p_trace_id,
    p_payload);
end
$$;

comment on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb) is
  'Posts a job by itself, in its company and in the rights of the caller.';

-- Whether a claim's slice, or what follows on it, has a job: the same question for claiming and for reading.
-- In order of transaction and id; first the transactions that `before` saw begun and not ended, then later ones.
-- Row comparisons that begin with the lane, so that only the index on it will do, whatever statistics say.
create function core.job_slice(
    p_lane uuid, p_before pg_snapshot, p_upto pg_snapshot, p_after_xid xid8, p_after_id uuid, p_limit integer)
  returns setof core.job_post
  language plpgsql stable
  set search_path = core, pg_temp
  -- By the index on the lane and in its order, whatever statistics say.
  set enable_sort = off
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  late xid8[];
  start_xid xid8 := pg_snapshot_xmax(p_before);
  start_id uuid := nobody;
  rest integer := p_limit;
  found_rows integer;
begin
  select array_agg(x.xid order by x.xid) into late
  from pg_snapshot_xip(p_before) x (xid)
  where x.xid >= p_after_xid and pg_visible_in_snapshot(x.xid, p_upto);
  -- One by one, so that there is nothing to sort.
  for place in 1..coalesce(cardinality(late), 0) loop
    return query
      select p.*
      from core.job_post p
      where (p.lane, p.xid, p.id)
          > (p_lane, late[place], case when late[place] = p_after_xid then p_after_id else nobody end)
        and p.lane <= p_lane and p.xid <= late[place]
      order by p.lane, p.xid, p.id
      limit rest;
    get diagnostics found_rows = row_count;
    rest := rest - found_rows;
    exit when rest <= 0;
  end loop;
  if rest <= 0 then return; end if;
  if (p_after_xid, p_after_id) > (start_xid, start_id) then
    start_xid := p_after_xid;
    start_id := p_after_id;
  end if;
  return query
    select p.*
    from core.job_post p
    where (p.lane, p.xid, p.id) > (p_lane, start_xid, start_id)
      and p.lane <= p_lane and p.xid < pg_snapshot_xmax(p_upto) and pg_visible_in_snapshot(p.xid, p_upto)
    order by p.lane, p.xid, p.id
    limit rest;
end
$$;

comment on function core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) is
  'The next jobs of a lane among those that the second snapshot sees and the first does not, behind a position.';

create function core.claim_jobs(p_worker uuid, p_batch bigint, p_companies uuid[], p_lanes uuid[], p_each integer[])
  returns table (
    place integer, no bigint, week date, claimed_at timestamptz, ends_lane boolean, id uuid, round integer,
    attempt integer, max_attempts integer, payload jsonb, unique_key text, cause_type text, cause_id uuid, trace_id text,
    is_alone boolean, posted_at timestamptz)
  language plpgsql security definer
  set search_path = core, pg_temp
  -- By the indexes and in their order, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  -- To plan it takes longer than to run it.
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_week constant date := date_trunc('week', now())::date;
  v_places integer[];
begin
  -- A claim that a crash takes away leaves its jobs to be claimed again, and whoever had it finds no claim to settle:
  -- nobody need wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- Whoever takes the worker for lost locks its row; a claim behind its back would never be rescued.
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was taken for lost' using errcode = 'FT010';
  end if;
  -- One at a time cuts a lane; others go on to the next. A statement of its own: what the next one sees was committed
  -- by whoever had the lane before.
  select array_agg(x.place order by x.place) into v_places
  from unnest(p_lanes) with ordinality x (lane, place)
  where pg_try_advisory_xact_lock(hashtextextended(x.lane::text, 7450));
  return query
    with head as materialized (
      select l.place::integer as place, p_companies[l.place] as company_id, p_lanes[l.place] as lane,
        p_each[l.place] as each,
        -- By the clock too, so that no number is given again when a crash has taken a claim away: whoever had that
        -- one would settle jobs that it never got.
        greatest(coalesce(h.no, 0) + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as no, greatest(v_week, h.week) as week,
        coalesce(h.last_week - 7, '-infinity') as from_week, coalesce(h.before, '1:1:') as before,
        coalesce(h.upto, '1:1:') as upto, coalesce(h.last_xid, '0') as last_xid, coalesce(h.last_id, nobody) as last_id
      from unnest(v_places) l (place)
      left join lateral (
        -- Claims of a lane never go back to an earlier week, so that the newest is in the newest.
        (select c.* from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week >= v_week
         order by c.no desc limit 1)
        union all
        (select c.* from core.job_claim c
         where c.company_id = p_companies[l.place] and c.lane = p_lanes[l.place] and c.week < v_week
         order by c.no desc limit 1)
        limit 1
      ) h on true
    ), span as materialized (
      -- What was committed up to the last claim's snapshot and is left of it; if nothing is, what was committed since.
      select h.place, h.company_id, h.lane, h.each, h.no, h.week, h.from_week, not r.is_left as is_fresh,
        case when r.is_left then h.before else h.upto end as before,
        case when r.is_left then h.upto else pg_current_snapshot() end as upto,
        case when r.is_left then h.last_xid else '0' end as after_xid,
        case when r.is_left then h.last_id else nobody end as after_id
      from head h
      cross join lateral (
        select exists (
            select from (
              select from core.job_post p
              where (p.lane, p.xid, p.id) > (
                  h.lane, greatest(h.last_xid, pg_snapshot_xmax(h.before)),
                  case when h.last_xid >= pg_snapshot_xmax(h.before) then h.last_id else nobody end)
                and p.lane <= h.lane and p.xid < pg_snapshot_xmax(h.upto) and pg_visible_in_snapshot(p.xid, h.upto)
                and p.week >= h.from_week
              order by p.lane, p.xid, p.id
              limit 1
            ) j)
          or exists (
            select from pg_snapshot_xip(h.before) x (xid)
            cross join lateral (
              select from core.job_post p
              where (p.lane, p.xid, p.id) > (h.lane, x.xid, case when x.xid = h.last_xid then h.last_id else nobody end)
                and p.lane <= h.lane and p.xid <= x.xid and p.week >= h.from_week
              order by p.lane, p.xid, p.id
              limit 1
            ) j
            where x.xid >= h.last_xid and pg_visible_in_snapshot(x.xid, h.upto)) as is_left
        offset 0  -- asked once
      ) r
    ), slice as materialized (
      select s.place, s.company_id, s.lane, s.each, s.no, s.week, s.is_fresh, s.before, s.upto, s.after_xid, s.after_id,
        x.xid, x.id, x.round, x.attempt, x.max_attempts, x.is_alone, x.unique_key, x.cause_type, x.cause_id, x.trace_id,
        x.payload, x.posted_at, x.n, x.total, x.found, x.week as post_week
      from span s
      cross join lateral (
        select q.*, count(*) over () as total
        from (
          -- What was found and is not given, because it is to be alone, is still there.
          select j.*, row_number() over w as n, count(*) filter (where j.is_alone) over w as alone,
            count(*) over () as found
          from (
            -- First the transactions that the one snapshot saw begun and not ended, then later ones.
            select p.*
            from (
              select x.xid from pg_snapshot_xip(s.before) x (xid)
              where x.xid >= s.after_xid and pg_visible_in_snapshot(x.xid, s.upto)
            ) x
            cross join lateral (
              select p.* from core.job_post p
              where (p.lane, p.xid, p.id) > (s.lane, x.xid, case when x.xid = s.after_xid then s.after_id else nobody end)
                and p.lane <= s.lane and p.xid <= x.xid and p.week >= s.from_week
              order by p.lane, p.xid, p.id
              limit s.each
            ) p
            union all
            (select p.* from core.job_post p
             where (p.lane, p.xid, p.id) > (
                 s.lane, greatest(s.after_xid, pg_snapshot_xmax(s.before)),
                 case when s.after_xid >= pg_snapshot_xmax(s.before) then s.after_id else nobody end)
               and p.lane <= s.lane and p.xid < pg_snapshot_xmax(s.upto) and pg_visible_in_snapshot(p.xid, s.upto)
               and p.week >= s.from_week
             order by p.lane, p.xid, p.id
             limit s.each)
            limit s.each
          ) j
          window w as (rows unbounded preceding)
        ) q
        -- One that is to be alone is the first of a slice, and the only one.
        where q.n = 1 or q.alone = 0
      ) x
    ), made as (
      insert into core.job_claim
        (week, company_id, lane, no, worker_id, batch, at, before, upto, after_xid, after_id, last_xid, last_id, last_week,
         jobs)
      select s.week, s.company_id, s.lane, s.no, p_worker, p_batch, clock_timestamp(), s.before, s.upto, s.after_xid,
        s.after_id, s.xid, s.id, s.post_week, s.total
      from slice s
      where s.n = s.total
      returning at
    ), moment as materialized (
      -- Also has the claims made before the jobs are given.
      select max(m.at) as at from made m
    )
    select s.place, s.no, s.week, m.at, s.is_fresh and s.total = s.found and s.found < s.each and not s.is_alone,
      s.id, s.round, s.attempt + 1, s.max_attempts, s.payload, s.unique_key, s.cause_type, s.cause_id, s.trace_id, s.is_alone, s.posted_at
    from slice s
    cross join moment m
    where not exists (
      select from core.job_stop t where t.company_id = s.company_id and t.id = s.id and t.round = s.round)
    union all
    -- The claim alone, for one whose jobs may all have been cancelled: it is to be settled all the same.
    select s.place, s.no, s.week, m.at, s.is_fresh and s.total = s.found and s.found < s.each and not s.is_alone,
      null::uuid, 0, 0, 0, null::jsonb, null::text, null::text, null::uuid, null::text, false, null::timestamptz
    from slice s
    cross join moment m
    where s.n = 1 and exists (
      select from core.job_stop t where t.company_id = s.company_id and t.id = s.id and t.round = s.round)
    union all
    -- A row without a job says that the lane is empty; none at all, that somebody else is at it.
    select h.place, 0::bigint, h.week, null::timestamptz, true, null::uuid, 0, 0, 0, null::jsonb, null::text, null::text,
      null::uuid, null::text, false, null::timestamptz
    from head h
    where not exists (select from slice s where s.place = h.place);
end
$$;

comment on function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]) is
  'Gives a worker the next jobs of some lanes, up to so many of each, with what they are about, and whether the lane has no more; a row without a job for a lane that has none.';

grant execute on function core.current_company() to fettle_auth;

revoke execute on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb),
  core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer),
  core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[])
  from public;
grant execute on function core.post_job(uuid, uuid, uuid, text, text, smallint, integer, text, uuid, text, jsonb)
  to fettle_app, fettle_worker, fettle_admin;
grant execute on function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]) to fettle_worker;
grant execute on function core.job_slice(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.claim_jobs(uuid, bigint, uuid[], uuid[], integer[]) owner to fettle_auth;
revoke create on schema core from fettle_auth;
