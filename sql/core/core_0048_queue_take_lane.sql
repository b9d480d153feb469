-- One lane that has just got a few jobs is cut and read in one statement: an idle worker that is rung for waits for one
-- answer, not for two. Longer slices are still read after the lane is let go.

set local row_security = on;

create function core.take_lane(p_worker uuid, p_batch bigint, p_company uuid, p_lane uuid, p_each integer)
  returns table (
    no bigint, week date, jobs integer, claimed_at timestamptz, ends_lane boolean,
    place integer, id uuid, round integer, attempt integer, max_attempts integer, payload jsonb, unique_key text,
    cause_type text, cause_id uuid, trace_id text, is_alone boolean, posted_at timestamptz, is_cancelled boolean)
  language plpgsql security definer
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_week constant date := date_trunc('week', now())::date;
  head core.job_claim;
  posts core.job_post[];
  last core.job_post;
  seen pg_snapshot;
  is_late boolean := false;
  cut record;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from core.worker w where w.id = p_worker and w.lease_until > clock_timestamp() for key share;
  if not found then
    raise exception 'the worker is not registered, or was taken for lost' using errcode = 'FT010';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended(p_lane::text, 7450)) then return; end if;
  select c.* into head
  from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.week >= v_week
  order by c.no desc limit 1;
  -- The common case: it was emptied then, and nobody who was under way then has posted in it.
  if found then
    select array_agg(p.post), pg_current_snapshot() into posts, seen
    from (
      select p::core.job_post as post from core.job_post p
      where (p.lane, p.xid, p.id) > (
          p_lane, greatest(head.last_xid, pg_snapshot_xmax(head.before)),
          case when head.last_xid >= pg_snapshot_xmax(head.before) then head.last_id else nobody end)
        and p.lane <= p_lane and p.xid < pg_snapshot_xmax(pg_current_snapshot())
        and pg_visible_in_snapshot(p.xid, pg_current_snapshot()) and p.week >= head.last_week - 7
      order by p.lane, p.xid, p.id
      limit p_each
    ) p;
    -- Asked after the posts were read, so that whoever ended before that is seen here.
    if pg_snapshot_xmin(head.before) < pg_snapshot_xmax(head.before)
      or pg_snapshot_xmin(head.upto) < pg_snapshot_xmax(head.upto)
    then
      is_late := exists (
        select from (
          select x.xid from pg_snapshot_xip(head.before) x (xid)
          union select x.xid from pg_snapshot_xip(head.upto) x (xid)
        ) x
        cross join lateral (
          select from core.job_post p
          where (p.lane, p.xid, p.id) > (p_lane, x.xid, nobody) and p.lane <= p_lane and p.xid <= x.xid
          order by p.lane, p.xid, p.id
          limit 1
        ) j);
    end if;
    if posts is null and not is_late then
      return query select 0::bigint, v_week, 0, null::timestamptz, true, null::integer, null::uuid, null::integer, null::integer,
        null::integer, null::jsonb, null::text, null::text, null::uuid, null::text, null::boolean, null::timestamptz,
        null::boolean;
      return;
    end if;
    if posts[1].xid >= pg_snapshot_xmax(head.upto) and not is_late
      and not exists (select from unnest(posts) p where p.is_alone)
    then
      last := posts[cardinality(posts)];
      insert into core.job_claim
        (week, company_id, lane, no, worker_id, batch, at, before, upto, after_xid, after_id, last_xid, last_id, last_week,
         jobs)
      values (
        greatest(v_week, head.week), p_company, p_lane,
        greatest(head.no + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint), p_worker, p_batch,
        clock_timestamp(), head.upto, seen, '0', nobody, last.xid, last.id, last.week, cardinality(posts))
      returning * into head;
      return query
        select head.no, head.week, head.jobs, head.at, head.jobs < p_each, 1, p.id, p.round, p.attempt + 1, p.max_attempts,
          p.payload, p.unique_key, p.cause_type, p.cause_id, p.trace_id, p.is_alone, p.posted_at,
          exists (select from core.job_stop t where t.company_id = p_company and t.id = p.id and t.round = p.round)
        from unnest(posts) p;
      return;
    end if;
  end if;
  select c.* into cut from core.cut_lanes(p_worker, p_batch, array[p_company], array[p_lane], array[p_each]) c;
  if not found then return; end if;
  -- A statement of its own, which sees the claim.
  return query
    select cut.no, cut.week, cut.jobs, cut.claimed_at, cut.ends_lane, j.place, j.id, j.round, j.attempt, j.max_attempts,
      j.payload, j.unique_key, j.cause_type, j.cause_id, j.trace_id, j.is_alone, j.posted_at, j.is_cancelled
    from (select) x
    left join core.claimed_jobs(p_worker, array[cut.week], array[p_company], array[p_lane], array[cut.no]) j on true;
end
$$;

comment on function core.take_lane(uuid, bigint, uuid, uuid, integer) is
  'Gives a worker the next slice of a lane with its jobs; a line without a job: none could be read, or, without a number, the lane has nothing; no line: somebody else is at it.';

revoke execute on function core.take_lane(uuid, bigint, uuid, uuid, integer) from public;
grant execute on function core.take_lane(uuid, bigint, uuid, uuid, integer) to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.take_lane(uuid, bigint, uuid, uuid, integer) owner to fettle_auth;
revoke create on schema core from fettle_auth;
