-- How many jobs stand where, from the tally and what came after it.

set local row_security = on;

-- What core.job_slice() gives, without what the jobs are about, which an operator does not see.
create function core.slice_places(
    p_lane uuid, p_before pg_snapshot, p_upto pg_snapshot, p_after_xid xid8, p_after_id uuid, p_limit integer)
  returns table (xid xid8, id uuid, company_id uuid, round integer)
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
  late xid8[];
  start_xid xid8 := pg_snapshot_xmax(p_before);
  start_id uuid := nobody;
  rest integer := p_limit;
  found_rows integer;
begin
  select array_agg(x.xid order by x.xid) into late
  from pg_snapshot_xip(p_before) x (xid)
  where x.xid >= p_after_xid and pg_visible_in_snapshot(x.xid, p_upto);
  if late is not null then
    return query
      select j.*
      from unnest(late) x (xid)
      cross join lateral (
        select p.xid, p.id, p.company_id, p.round
        from core.job_post p
        where (p.lane, p.xid, p.id) > (p_lane, x.xid, case when x.xid = p_after_xid then p_after_id else nobody end)
          and p.lane <= p_lane and p.xid <= x.xid
        order by p.lane, p.xid, p.id
        limit p_limit
      ) j
      order by j.xid, j.id
      limit p_limit;
    get diagnostics found_rows = row_count;
    rest := p_limit - found_rows;
  end if;
  if rest <= 0 then return; end if;
  if (p_after_xid, p_after_id) > (start_xid, start_id) then
    start_xid := p_after_xid;
    start_id := p_after_id;
  end if;
  return query
    select p.xid, p.id, p.company_id, p.round
    from core.job_post p
    where (p.lane, p.xid, p.id) > (p_lane, start_xid, start_id)
      and p.lane <= p_lane and p.xid < pg_snapshot_xmax(p_upto) and pg_visible_in_snapshot(p.xid, p_upto)
    order by p.lane, p.xid, p.id
    limit rest;
end
$$;

comment on function core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer) is
  'Where the jobs of a slice are: the same jobs as core.job_slice() gives.';

create function core.jobs_backlog(p_company uuid)
  returns table (
    queue text, kind text, jobs bigint, oldest_at timestamptz, oldest_is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
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
        from core.job_post p
        where p.company_id = s.company_id and p.id = s.id and p.round = s.round
        limit 1
      ) p
      where (p_company is null or s.company_id = p_company)
        and not core.is_claimed(p.company_id, p.lane, p.xid, p.id)
      group by p.company_id, p.lane
    ), open as materialized (
      select t.company_id, t.lane, t.queue, t.kind, t.claim_no, greatest(t.since_xid, t.claim_xid) as bound,
        (t.posted - t.claimed - coalesce(s.jobs, 0))::integer as jobs
      from core.job_tally t
      left join stopped s on s.company_id = t.company_id and s.lane = t.lane
      where t.posted > t.claimed and (p_company is null or t.company_id = p_company)
    ), ranked as materialized (
      select o.*, row_number() over (partition by o.queue, o.kind order by o.bound, o.lane) as place
      from open o
      where o.jobs > 0
    ), heads as (
      -- The oldest of a lane is behind its last claim; a lane that begins later than the oldest that was found
      -- cannot have an older one.
      select r.queue, r.kind, r.place, r.bound, h.xid, h.created_at
      from ranked r
      cross join lateral (
        select p.xid, p.created_at
        from core.job_claim c
        cross join lateral (
          select p.xid, p.created_at
          from core.slice_places(r.lane, c.before, c.upto, c.last_xid, c.last_id, 1) s
          join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
          union all
          select p.xid, p.created_at
          from core.slice_places(r.lane, c.upto, pg_current_snapshot(), '0', nobody, 1) s
          join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
          limit 1
        ) p
        where c.company_id = r.company_id and c.lane = r.lane and c.no = r.claim_no
        union all
        (select p.xid, p.created_at
         from core.job_post p
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
      -- What is posted anew was enqueued long before it was ready: not before the moment it was posted at.
      greatest(o.created_at, m.at), s.next_bound is null or s.next_bound >= o.xid
    from summed s
    left join oldest o on o.queue = s.queue and o.kind = s.kind
    left join lateral (
      select m.at from core.job_moment m where m.company_id = every and m.xid <= o.xid order by m.xid desc limit 1
    ) m on true;
end
$$;

comment on function core.jobs_backlog(uuid) is
  'What is ready and not claimed, as of the tally, by queue and kind, and since when the oldest of it has waited.';

create function core.open_claims_of(p_company uuid)
  returns table (company_id uuid, lane uuid, no bigint, worker_id uuid, before pg_snapshot, upto pg_snapshot,
    after_xid xid8, after_id uuid, last_xid xid8, last_id uuid, jobs integer)
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select c.company_id, c.lane, c.no, c.worker_id, c.before, c.upto, c.after_xid, c.after_id, c.last_xid, c.last_id,
      c.jobs
    from core.worker w
    cross join lateral (
      select c.*
      from core.job_claim c
      where (c.worker_id, c.batch) >= (w.id, w.oldest_batch) and c.worker_id <= w.id
        and (p_company is null or c.company_id = p_company)
      offset 0
    ) c
    where not exists (
      select from core.job_settlement s where s.company_id = c.company_id and s.lane = c.lane and s.no = c.no);
end
$$;

comment on function core.open_claims_of(uuid) is 'Claims of workers on the list that nobody has settled.';

create function core.jobs_running(p_company uuid)
  returns table (queue text, kind text, jobs bigint, is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  few constant bigint := 1000;
  exact constant boolean := (select coalesce(sum(c.jobs), 0) <= few from core.open_claims_of(p_company) c);
begin
  return query
    select f.queue, f.kind, sum(case when exact then s.jobs else c.jobs end)::bigint, exact
    from core.open_claims_of(p_company) c
    cross join lateral (
      select count(*) as jobs
      from core.slice_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, case when exact then c.jobs else 0 end) s
      where not exists (
          select from core.job_attempt a where a.company_id = s.company_id and a.job_id = s.id and a.fence = c.no)
        and not exists (
          select from core.job_post n where n.company_id = s.company_id and n.id = s.id and n.round > s.round)
        and not exists (select from core.job_wait o where o.company_id = s.company_id and o.id = s.id)
        and not exists (select from core.job_end o where o.company_id = s.company_id and o.id = s.id)
    ) s
    cross join lateral (
      select p.queue, p.kind
      from core.job_post p
      where (p.lane, p.xid, p.id) <= (c.lane, c.last_xid, c.last_id) and p.lane >= c.lane
      order by p.lane desc, p.xid desc, p.id desc
      limit 1
    ) f
    group by f.queue, f.kind;
end
$$;

comment on function core.jobs_running(uuid) is
  'What workers have, of a company or of all, by queue and kind; not exact where there is much: what is done, and its claim not settled, is among it.';

create function core.jobs_set_aside(p_company uuid)
  returns table (queue text, kind text, state text, jobs bigint, is_exact boolean)
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  most constant integer := 2000;
  source record;
  v_queue text;
  v_kind text;
  v_jobs bigint;
  whose constant text := case when p_company is null then 'true' else 'o.company_id = $1' end;
begin
  for source in
    select * from (values
      ('job_wait', 'o.attempt = 0', 'waiting'), ('job_wait', 'o.attempt > 0', 'retrying'),
      ('job_end', 'o.state = ''dead''', 'dead'), ('job_end', 'o.state = ''cancelled''', 'cancelled')
    ) v (place, condition, name)
  loop
    v_queue := '';
    v_kind := '';
    loop
      execute format(
        'select o.queue, o.kind from core.%I o where %s and (o.queue, o.kind) > ($2, $3) and %s '
        'order by o.queue, o.kind limit 1', source.place, whose, source.condition)
      into v_queue, v_kind using p_company, v_queue, v_kind;
      exit when v_kind is null;
      execute format(
        'select count(*) from (select from core.%I o where %s and o.queue = $2 and o.kind = $3 and %s limit %s) o',
        source.place, whose, source.condition, most + 1)
      into v_jobs using p_company, v_queue, v_kind;
      return query select v_queue, v_kind, source.name, least(v_jobs, most), v_jobs <= most;
    end loop;
  end loop;
end
$$;

comment on function core.jobs_set_aside(uuid) is
  'What waits for its time or has ended badly, by queue, kind and state; not exact: there are more than this.';

create function core.jobs_pace(p_window interval) returns table (queue text, kind text, started bigint)
  language sql stable
  set search_path = core, pg_temp
as $$
  select p.queue, p.kind, sum(p.started)::bigint
  from core.job_pace p
  where p.company_id = '00000000-0000-7000-8000-000000000000' and p.at > now() - p_window - interval '10 seconds'
  group by p.queue, p.kind
$$;

comment on function core.jobs_pace(interval) is 'How many jobs of all companies were begun in the last while.';

-- How many jobs there are of every company together, for the metrics of workers, who see one company at a time: numbers
-- by queue and kind, and nothing that tells a company from another.
create function core.job_numbers()
  returns table (queue text, kind text, state text, jobs bigint, oldest_seconds double precision)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select b.queue, b.kind, 'queued', b.jobs, extract(epoch from clock_timestamp() - b.oldest_at)::double precision
  from core.jobs_backlog(null) b
  union all
  select r.queue, r.kind, 'running', r.jobs, null
  from core.jobs_running(null) r
  union all
  select a.queue, a.kind, a.state, a.jobs, null
  from core.jobs_set_aside(null) a
$$;

comment on function core.job_numbers() is
  'How many jobs of all companies there are by queue, kind and state, as of the tally, and for how long the oldest that is ready has waited.';

revoke execute on function core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer),
  core.jobs_backlog(uuid), core.open_claims_of(uuid), core.jobs_running(uuid), core.jobs_set_aside(uuid),
  core.jobs_pace(interval), core.job_numbers()
  from public;
grant execute on function core.job_numbers() to fettle_worker, fettle_admin;
grant execute on function core.jobs_backlog(uuid), core.open_claims_of(uuid), core.jobs_running(uuid),
  core.jobs_set_aside(uuid), core.jobs_pace(interval),
  core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer)
  to fettle_app, fettle_worker, fettle_admin;
grant execute on function core.open_claims_of(uuid),
  core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer), core.jobs_backlog(uuid),
  core.jobs_running(uuid), core.jobs_set_aside(uuid)
  to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.job_numbers() owner to fettle_auth;
revoke create on schema core from fettle_auth;
