-- Lists look at places first, which the index on lanes tells alone, and read the jobs of those that make the page: a page
-- of fifty read the jobs of sixty lanes, fifty of each. What did not succeed is left out where places are looked for, so
-- that a kind that fails everywhere is not gone through job by job.

set local row_security = on;

drop function core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer);
drop function core.lane_places(uuid, uuid, text, xid8, uuid, integer);

-- A gap: so many posts of the lane were looked at up to here, and what comes behind is not known yet.
create type core.job_place as (company_id uuid, lane uuid, xid xid8, id uuid, is_gap boolean);

comment on type core.job_place is 'Where in the order of lists a posted job is, or how far somebody looked.';
grant usage on type core.job_place to fettle_app, fettle_worker, fettle_admin;

-- What is asked of one job is a subquery with a limit: as a join it could be planned as one over all of a company.

create function core.posted_places(p_companies uuid[], p_lanes uuid[], p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set max_parallel_workers_per_gather = 0
  set jit = off
  set plan_cache_mode = force_generic_plan
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
      from core.job_post p
      where (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id) and p.lane >= l.lane
      order by p.lane desc, p.xid desc, p.id desc
      limit p_limit
    ) p
    order by p.xid desc, l.lane desc, p.id desc
    limit p_limit;
end
$$;

comment on function core.posted_places(uuid[], uuid[], core.job_place, integer) is
  'The newest posts of some lanes before a place.';

create function core.free_places(
    p_companies uuid[], p_lanes uuid[], p_is_again boolean, p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set max_parallel_workers_per_gather = 0
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  -- So many posts of a lane are looked at; the last of them is given whatever it is.
  most_examined constant integer := 4 * p_limit;
begin
  return query
    with asked as materialized (
      select x.company_id, x.lane,
        case when x.lane < p_before.lane then last_place when x.lane = p_before.lane then p_before.id else nobody end
          as below_id,
        -- Behind the last claim, and begun after its slice did: nobody has it. Of what had begun before, only what had
        -- not ended then may be free.
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
            from core.job_post p
            where not p_is_again and (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id)
              and (p.lane, p.xid, p.id) > (l.lane, l.floor_xid, l.floor_id)
            order by p.lane desc, p.xid desc, p.id desc
            limit most_examined
          ) p
        ) p
        where p.number = most_examined
          or (
            select true from core.job_post r
            where r.lane = l.lane and r.xid = p.xid and r.id = p.id and r.attempt > 0 limit 1) is null
        limit p_limit
      ) p
      union all
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        -- By the index on these, of which there are few among many.
        select p.xid, p.id
        from core.job_post p
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
        from core.job_post p
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

comment on function core.free_places(uuid[], uuid[], boolean, core.job_place, integer) is
  'The newest posts of some lanes before a place that no claim has: first attempts, or later ones.';

create function core.done_places(p_companies uuid[], p_lanes uuid[], p_before core.job_place, p_limit integer)
  returns setof core.job_place
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set max_parallel_workers_per_gather = 0
  set jit = off
  set plan_cache_mode = force_generic_plan
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
        -- Up to here claims are settled; up to there are claims at all.
        coalesce(h.last_xid, '0') as done_xid, coalesce(h.last_id, nobody) as done_id,
        n.last_xid as claimed_xid, n.last_id as claimed_id
      from unnest(p_companies, p_lanes) x (company_id, lane)
      cross join lateral (
        select c.last_xid, c.last_id
        from core.job_claim c
        where c.company_id = x.company_id and c.lane = x.lane
        order by c.lane desc, c.last_xid desc, c.last_id desc
        limit 1
      ) n
      left join lateral (
        select c.last_xid, c.last_id
        from core.job_claim c
        where c.company_id = x.company_id and c.lane = x.lane
          and (
            select s.outcome = 'finished' from core.job_settlement s
            where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no limit 1)
        order by c.lane desc, c.last_xid desc, c.last_id desc
        limit 1
      ) h on true
    )
    select f.company_id, f.lane, f.xid, f.id, f.is_gap
    from (
      (select s.company_id, s.lane, s.xid, s.id, s.number = most_examined as is_gap
       from (
         -- Sorted before each is asked after, so that no more are asked after than the page takes.
         select l.company_id, l.lane, p.xid, p.id, p.number
         from asked l
         cross join lateral (
           select p.xid, p.id, row_number() over () as number
           from (
             select p.lane, p.xid, p.id
             from core.job_post p
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
         or (select true from core.job_wait w where w.company_id = s.company_id and w.id = s.id limit 1) is null
           and (select true from core.job_end e where e.company_id = s.company_id and e.id = s.id limit 1) is null
           and (select max(n.xid) from core.job_post n where n.company_id = s.company_id and n.id = s.id) = s.xid
       limit p_limit)
      union all
      -- Of claims that are not settled only what has succeeded by itself.
      select l.company_id, l.lane, p.xid, p.id, false
      from asked l
      cross join lateral (
        select p.xid, p.id
        from core.job_post p
        where (p.lane, p.xid, p.id) < (l.lane, p_before.xid, l.below_id)
          and (p.lane, p.xid, p.id) > (l.lane, l.done_xid, l.done_id)
          and (p.lane, p.xid, p.id) <= (l.lane, l.claimed_xid, l.claimed_id)
          and (
            select true from core.job_attempt a
            where a.company_id = l.company_id and a.job_id = p.id and a.outcome = 'succeeded' limit 1)
        order by p.lane desc, p.xid desc, p.id desc
        limit p_limit
      ) p
    ) f
    order by f.xid desc, f.lane desc, f.id desc
    limit p_limit;
end
$$;

comment on function core.done_places(uuid[], uuid[], core.job_place, integer) is
  'The newest posts of some lanes before a place that have succeeded, as far as that is told without looking at each.';

create function core.listed_posts(
    p_company uuid, p_queue text, p_kind text, p_state text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set max_parallel_workers_per_gather = 0
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  most_examined constant integer := 500;
  mark pg_snapshot;
  companies uuid[];
  lanes uuid[];
  bounds xid8[];
  most_lanes integer := 512;
  from_lane integer;
  at_once integer;
  before core.job_place := row(
    null, coalesce(p_lane, last_place), coalesce(p_xid, '18446744073709551615'), coalesce(p_id, last_place),
    false);
  places core.job_place[];
  place core.job_place;
  line core.job_line;
  kept integer := 0;
  examined integer := 0;
begin
  select m.upto into mark
  from core.job_tally_mark m where m.company_id = '00000000-0000-7000-8000-000000000000';
  mark := coalesce(mark, '1:1:');
  loop
    -- Lanes by their newest, a few and then more, until what comes after cannot be newer than what was found.
    places := '{}';
    from_lane := 1;
    at_once := 4;
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
          (select t.company_id, t.lane, case when p_state = 'succeeded' then t.claim_xid else t.last_xid end as bound
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
          order by bound desc, t.lane desc
          limit most_lanes)
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
      exit when cardinality(places) = p_limit
        and (bounds[from_lane], lanes[from_lane]) < (places[p_limit].xid, places[p_limit].lane);
      select array_agg(f.place order by (f.place).xid desc, (f.place).lane desc, (f.place).id desc) into places
      from (
        select f.place
        from (
          select unnest(places) as place
          union all
          select f from core.posted_places(
            companies[from_lane:from_lane + at_once - 1], lanes[from_lane:from_lane + at_once - 1], before, p_limit) f
          where p_state = 'any'
          union all
          select f from core.free_places(
            companies[from_lane:from_lane + at_once - 1], lanes[from_lane:from_lane + at_once - 1],
            p_state = 'retrying', before, p_limit) f
          where p_state in ('queued', 'retrying')
          union all
          select f from core.done_places(
            companies[from_lane:from_lane + at_once - 1], lanes[from_lane:from_lane + at_once - 1], before, p_limit) f
          where p_state = 'succeeded'
        ) f
        order by (f.place).xid desc, (f.place).lane desc, (f.place).id desc
        limit p_limit
      ) f;
      places := coalesce(places, '{}');
      from_lane := from_lane + at_once;
      at_once := least(2 * at_once, 64);
    end loop;
    foreach place in array places loop
      examined := examined + 1;
      before := place;
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      into line
      from core.job_post p
      where p.lane = place.lane and p.xid = place.xid and p.id = place.id;
      line := core.job_standing(line);
      -- What was put off is listed with what waits for its time.
      if line.state is not null and (
        p_state = 'any' or line.state = p_state
        and not exists (select from core.job_wait w where w.company_id = line.company_id and w.id = line.id))
      then
        return next line;
        kept := kept + 1;
      end if;
      -- What is known of other lanes behind a gap has to wait until this one is known as far.
      exit when kept = p_limit or place.is_gap;
    end loop;
    exit when kept = p_limit or cardinality(places) < p_limit and not coalesce(before.is_gap, false);
    if examined >= most_examined then
      -- Nothing fits for a long way: where one got to is said in a line without a state.
      line.state := null;
      return next line;
      return;
    end if;
  end loop;
end
$$;

comment on function core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer) is
  'Posted jobs behind a place, newest first: in any state, queued, retrying or succeeded; a line without a state: look on from there.';

revoke execute on function core.posted_places(uuid[], uuid[], core.job_place, integer),
  core.free_places(uuid[], uuid[], boolean, core.job_place, integer),
  core.done_places(uuid[], uuid[], core.job_place, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer)
  from public;
grant execute on function core.posted_places(uuid[], uuid[], core.job_place, integer),
  core.free_places(uuid[], uuid[], boolean, core.job_place, integer),
  core.done_places(uuid[], uuid[], core.job_place, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer)
  to fettle_app, fettle_worker, fettle_admin;
