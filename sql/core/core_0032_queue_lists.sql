-- Lists of posted jobs, a page at a time.

set local row_security = on;

-- Lists, newest first. What was posted comes in the order of transaction, lane and id, backwards, so that the last
-- transaction of a lane says where the lane comes in the list; each list goes on behind a place in it.

create type core.job_line as (
  company_id   uuid,
  id           uuid,
  round        integer,
  queue        text,
  kind         text,
  state        text,
  priority     smallint,
  attempt      integer,
  max_attempts integer,
  run_at       timestamptz,
  created_at   timestamptz,
  finished_at  timestamptz,
  worker_id    uuid,
  lane         uuid,
  xid          xid8
);

comment on type core.job_line is 'A job as lists show it.';
grant usage on type core.job_line to fettle_app, fettle_worker, fettle_admin;

-- Where a posted job stands; a state that is null: it was posted anew, and is shown there.
create function core.job_standing(p_line core.job_line) returns core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  line core.job_line := p_line;
begin
  line.state := null;
  perform from core.job_post n
  where n.company_id = line.company_id and n.id = line.id and n.round > line.round;
  if found then return line; end if;
  select j.state, j.attempt, j.run_at, j.finished_at, j.worker_id
  into line.state, line.attempt, line.run_at, line.finished_at, line.worker_id
  from core.job j
  where j.company_id = line.company_id and j.id = line.id
  limit 1;
  return line;
end
$$;

comment on function core.job_standing(core.job_line) is
  'Fills in where a posted job stands; without a state it was posted anew since.';

-- The newest posts of a lane: any, those that no claim has, of these the ones that failed before, or those of claims
-- that are settled.
create function core.lane_places(p_company uuid, p_lane uuid, p_state text, p_xid xid8, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  head core.job_claim;
  late xid8[] := '{}';
  floor_xid xid8 := '0';
  floor_id uuid := nobody;
  below_xid xid8 := p_xid;
  below_id uuid := p_id;
begin
  if p_state = 'succeeded' then
    select c.no, c.last_xid, c.last_id into head.no, head.last_xid, head.last_id
    from core.job_claim c
    where c.company_id = p_company and c.lane = p_lane
      and exists (
        select from core.job_settlement s
        where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no and s.outcome = 'finished')
    order by c.company_id desc, c.lane desc, c.no desc
    limit 1;
    -- Of later claims only what has succeeded by itself.
    return query
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from core.job_claim c
      cross join lateral core.slice_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
      join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
      where c.company_id = p_company and c.lane = p_lane and c.no > coalesce(head.no, 0)
        and (s.xid, s.id) < (below_xid, below_id)
        and (head.no is null or (s.xid, s.id) > (head.last_xid, head.last_id))
        and exists (
          select from core.job_attempt a
          where a.company_id = s.company_id and a.job_id = s.id and a.fence = c.no and a.outcome = 'succeeded')
      order by s.xid desc, s.id desc
      limit p_limit;
    if head.no is null then return; end if;
    if (head.last_xid, head.last_id) < (below_xid, below_id) then
      return query
        select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
          p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
        from core.job_post p
        where (p.lane, p.xid, p.id) <= (p_lane, head.last_xid, head.last_id) and p.lane >= p_lane
        order by p.lane desc, p.xid desc, p.id desc
        limit p_limit;
      return;
    end if;
  elsif p_state in ('queued', 'retrying') then
    select c.before, c.upto, c.last_xid, c.last_id into head.before, head.upto, head.last_xid, head.last_id
    from core.job_claim c
    where c.company_id = p_company and c.lane = p_lane
    order by c.company_id desc, c.lane desc, c.no desc
    limit 1;
    if found then
      -- Behind the last claim, and begun after its slice did: nobody has it. Of what had begun before, only what had
      -- not ended then may be free.
      floor_xid := head.last_xid;
      floor_id := head.last_id;
      if (pg_snapshot_xmax(head.before), nobody) > (floor_xid, floor_id) then
        floor_xid := pg_snapshot_xmax(head.before);
        floor_id := nobody;
      end if;
      select coalesce(array_agg(distinct x.xid), '{}') into late
      from (
        select pg_snapshot_xip(head.before) union all select pg_snapshot_xip(head.upto)
      ) x (xid);
    end if;
  end if;
  if p_state = 'retrying' then
    -- By the index on these, of which there are few among many.
    return query
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from core.job_post p
      where (p.lane, p.xid, p.id) < (p_lane, below_xid, below_id)
        and (p.lane, p.xid, p.id) > (p_lane, floor_xid, floor_id) and p.attempt > 0
      order by p.lane desc, p.xid desc, p.id desc
      limit p_limit;
  else
    return query
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from core.job_post p
      where (p.lane, p.xid, p.id) < (p_lane, below_xid, below_id)
        and (p.lane, p.xid, p.id) > (p_lane, floor_xid, floor_id)
      order by p.lane desc, p.xid desc, p.id desc
      limit p_limit;
  end if;
  if late = '{}' then return; end if;
  return query
    select l.*
    from unnest(late) x (xid)
    cross join lateral (
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from core.job_post p
      where (p.lane, p.xid, p.id) < (p_lane, x.xid, last_place) and (p.lane, p.xid, p.id) > (p_lane, x.xid, nobody)
        and (p.xid, p.id) < (below_xid, below_id) and (p.xid, p.id) <= (floor_xid, floor_id)
        and (p_state <> 'retrying' or p.attempt > 0) and not core.is_claimed(p_company, p_lane, p.xid, p.id)
      order by p.lane desc, p.xid desc, p.id desc
      limit p_limit
    ) l;
end
$$;

comment on function core.lane_places(uuid, uuid, text, xid8, uuid, integer) is
  'The newest posts of a lane before a place: any, those that are not claimed (queued; retrying: that failed before) or of settled claims (succeeded).';

create function core.listed_posts(
    p_company uuid, p_queue text, p_kind text, p_state text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  most_examined constant integer := 500;
  at_once constant integer := 64;
  most_lanes integer := 512;
  mark pg_snapshot;
  companies uuid[];
  lanes uuid[];
  bounds xid8[];
  found_lines core.job_line[] := '{}';
  line core.job_line;
  last_line core.job_line;
  from_lane integer := 1;
  below_xid xid8 := coalesce(p_xid, '18446744073709551615');
  below_lane uuid := coalesce(p_lane, last_place);
  below_id uuid := coalesce(p_id, last_place);
  is_waiting boolean;
  kept integer := 0;
  examined integer := 0;
begin
  select m.upto into mark
  from core.job_tally_mark m where m.company_id = '00000000-0000-7000-8000-000000000000';
  mark := coalesce(mark, '1:1:');
  loop
    -- Lanes by their newest, until what comes after cannot be newer than what was found.
    found_lines := '{}';
    from_lane := 1;
    loop
      if lanes is null or from_lane > cardinality(lanes) and cardinality(lanes) = most_lanes then
        -- The lanes with the newest are enough for most pages; all of them are sorted when they are not.
        if lanes is not null then most_lanes := null; end if;
        with arrived as (
          select p.company_id, p.lane, p.queue, p.kind, p.xid from core.job_post p where p.xid >= pg_snapshot_xmax(mark)
          union all
          select p.company_id, p.lane, p.queue, p.kind, p.xid
          from pg_snapshot_xip(mark) x (xid)
          -- One by one, by the index.
          cross join lateral (
            select p.company_id, p.lane, p.queue, p.kind, p.xid from core.job_post p where p.xid = x.xid offset 0
          ) p
        ), known as (
          select t.company_id, t.lane, case when p_state = 'succeeded' then t.claim_xid else t.last_xid end as bound
          from core.job_tally t
          where (p_company is null or t.company_id = p_company) and (p_queue is null or t.queue = p_queue)
            and (p_kind is null or t.kind = p_kind)
            and case p_state
              when 'queued' then t.posted > t.claimed
              when 'retrying' then t.posted > t.claimed
                and exists (select from core.job_post p where p.lane = t.lane and p.attempt > 0)
              when 'succeeded' then t.claimed > 0
              else true
            end
          union all
          select a.company_id, a.lane, a.xid
          from arrived a
          where (p_company is null or a.company_id = p_company) and (p_queue is null or a.queue = p_queue)
            and (p_kind is null or a.kind = p_kind)
        ), whole as (
          select k.company_id, k.lane, max(k.bound) as bound from known k group by k.company_id, k.lane
        )
        select array_agg(w.company_id), array_agg(w.lane), array_agg(w.bound)
        into companies, lanes, bounds
        from (select * from whole w order by w.bound desc, w.lane desc limit most_lanes) w;
      end if;
      exit when from_lane > coalesce(cardinality(lanes), 0);
      exit when cardinality(found_lines) = p_limit
        and (bounds[from_lane], lanes[from_lane])
          < (found_lines[p_limit].xid, found_lines[p_limit].lane);
      select array_agg(l.line order by (l.line).xid desc, (l.line).lane desc, (l.line).id desc) into found_lines
      from (
        select l.line
        from (
          select f as line from unnest(found_lines) f
          union all
          select f
          from unnest(companies[from_lane:from_lane + at_once - 1], lanes[from_lane:from_lane + at_once - 1])
            c (company_id, lane)
          cross join lateral core.lane_places(c.company_id, c.lane, p_state,
            below_xid, case when c.lane < below_lane then last_place when c.lane = below_lane then below_id else nobody end,
            p_limit) f
        ) l
        order by (l.line).xid desc, (l.line).lane desc, (l.line).id desc
        limit p_limit
      ) l;
      found_lines := coalesce(found_lines, '{}');
      from_lane := from_lane + at_once;
    end loop;
    foreach line in array found_lines loop
      examined := examined + 1;
      last_line := line;
      line := core.job_standing(line);
      continue when line.state is null;
      is_waiting := exists (select from core.job_wait w where w.company_id = line.company_id and w.id = line.id);
      -- What was put off is listed with what waits for its time.
      continue when p_state <> 'any' and (line.state <> p_state or is_waiting);
      return next line;
      kept := kept + 1;
      exit when kept = p_limit;
    end loop;
    exit when kept = p_limit or cardinality(found_lines) < p_limit;
    below_xid := last_line.xid;
    below_lane := last_line.lane;
    below_id := last_line.id;
    if examined >= most_examined then
      -- Nothing fits for a long way: where one got to is said in a line without a state.
      last_line.state := null;
      return next last_line;
      return;
    end if;
  end loop;
end
$$;

comment on function core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer) is
  'Posted jobs behind a place, newest first: in any state, queued, retrying or succeeded; a line without a state: look on from there.';

revoke execute on function core.job_standing(core.job_line), core.lane_places(uuid, uuid, text, xid8, uuid, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer)
  from public;
grant execute on function core.job_standing(core.job_line), core.lane_places(uuid, uuid, text, xid8, uuid, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer)
  to fettle_app, fettle_worker, fettle_admin;
