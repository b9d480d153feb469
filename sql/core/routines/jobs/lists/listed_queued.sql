-- Returns jobs with a queued row older than a place, newest first, in one state or any; a row without a state
-- only marks where to continue.
--
-- execute: fettle_app, fettle_worker, fettle_admin
-- set: enable_seqscan = off, enable_bitmapscan = off, max_parallel_workers_per_gather = 0, jit = off,
--      plan_cache_mode = force_generic_plan
create function core.listed_queued(
    p_company uuid, p_queue text, p_kind text, p_state text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
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
  lines core.job_line[];
  line core.job_line;
  at_place integer;
  kept integer := 0;
  examined integer := 0;
begin
  select m.upto into mark
  from core.job_count_mark m where m.company_id = '00000000-0000-7000-8000-000000000000';
  mark := coalesce(mark, '1:1:');
  loop
    -- Reads lanes in the order of their newest rows, four at first and then more, until no further lane can
    -- have newer rows.
    places := '{}';
    from_lane := 1;
    at_once := 4;
    loop
      if lanes is null or from_lane > cardinality(lanes) and cardinality(lanes) = most_lanes then
        -- The lanes with the newest rows suffice for most pages. If not, all lanes are sorted.
        if lanes is not null then most_lanes := null; end if;
        with arrived as (
          select p.company_id, p.lane, p.queue, p.kind, p.xid from core.job_queued p where p.xid >= pg_snapshot_xmax(mark)
          union all
          select p.company_id, p.lane, p.queue, p.kind, p.xid
          from pg_snapshot_xip(mark) x (xid)
          -- One lookup per transaction, by the index on xid.
          cross join lateral (
            select p.company_id, p.lane, p.queue, p.kind, p.xid from core.job_queued p where p.xid = x.xid offset 0
          ) p
        ), known as (
          (select t.company_id, t.lane, case when p_state = 'succeeded' then t.claim_xid else t.last_xid end as bound
          from core.job_count t
          where (p_company is null or t.company_id = p_company) and (p_queue is null or t.queue = p_queue)
            and (p_kind is null or t.kind = p_kind)
            and case p_state
              when 'queued' then t.enqueued > t.claimed
              when 'retrying' then t.enqueued > t.claimed
                and exists (select from core.job_queued p where p.lane = t.lane and p.attempt > 0)
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
          select f from core.queued_places(
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
    -- Behind a gap, rows of other lanes wait until this lane has been read as far.
    places := places[:coalesce(
      (select min(x.place) from unnest(places) with ordinality x (company_id, lane, xid, id, is_gap, place) where x.is_gap),
      cardinality(places))];
    select array_agg(
      row(p.company_id, p.id, p.round, p.queue, p.kind, null, p.priority, p.attempt, p.max_attempts, p.created_at,
        p.created_at, null, null, p.lane, p.xid)::core.job_line
      order by x.place)
    into lines
    from unnest(places) with ordinality x (company_id, lane, xid, id, is_gap, place)
    left join lateral (
      select p.company_id, p.id, p.round, p.queue, p.kind, p.priority, p.attempt, p.max_attempts, p.created_at, p.lane, p.xid
      from core.job_queued p
      where p.lane = x.lane and p.xid = x.xid and p.id = x.id
      offset 0
    ) p on true;
    at_place := 0;
    for line in select s.* from core.job_standings(lines) s loop
      at_place := at_place + 1;
      examined := examined + 1;
      before := places[at_place];
      -- Postponed jobs are listed with the deferred ones.
      if line.state is not null and (
        p_state = 'any' or line.state = p_state
        and not exists (select from core.job_deferred w where w.company_id = line.company_id and w.id = line.id))
      then
        return next line;
        kept := kept + 1;
      end if;
      exit when kept = p_limit;
    end loop;
    exit when kept = p_limit or cardinality(places) = 0
      or cardinality(places) < p_limit and not coalesce(before.is_gap, false);
    if examined >= most_examined then
      -- Few rows match: stop here, and let the caller continue.
      line.state := null;
      return next line;
      return;
    end if;
  end loop;
end
$$;
