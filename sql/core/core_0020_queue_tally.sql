-- The books of the queue: how much is posted and claimed in each lane, so that nobody has to count jobs to know.
--
-- The tally is brought forward from one snapshot to the next: what was committed in between is found by the index on
-- transactions, and new claims by their number, as claims of a lane are committed in that order. Only a lane that has
-- more posts than claimed jobs can have a claim that is not counted yet. One session at a time does it; what it
-- touches is no part of claiming, so a pinned snapshot costs the books and not the queue.
-- Lists go through lanes, and within a lane through the index by lane, transaction and id; no statement here needs
-- statistics to find its index.

create table core.job_tally (
  company_id uuid     not null,
  lane       uuid     not null,
  queue      text     not null,
  kind       text     not null,
  priority   smallint not null,
  posted     bigint   not null,
  claimed    bigint   not null default 0,
  claim_no   bigint   not null default 0,
  claim_week date     not null default '-infinity',
  claim_xid  xid8     not null default '0',
  since_xid  xid8     not null,
  last_xid   xid8     not null,
  primary key (company_id, lane)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

comment on table  core.job_tally is 'What was posted and claimed in each lane, as of core.job_tally_mark.';
comment on column core.job_tally.company_id is 'The company of the lane.';
comment on column core.job_tally.lane is 'The lane.';
comment on column core.job_tally.queue is 'Its queue.';
comment on column core.job_tally.kind is 'Its kind.';
comment on column core.job_tally.priority is 'Its priority.';
comment on column core.job_tally.posted is 'Posts ever, attempts anew among them.';
comment on column core.job_tally.claimed is 'How many of them are in claims.';
comment on column core.job_tally.claim_no is 'The last claim that is counted.';
comment on column core.job_tally.claim_week is 'Its week; no later claim is in an earlier one.';
comment on column core.job_tally.claim_xid is 'The transaction of its last job.';
comment on column core.job_tally.since_xid is 'The first transaction that posted after the lane had been empty.';
comment on column core.job_tally.last_xid is 'The last transaction that posted.';

create table core.job_tally_mark (
  company_id uuid        not null primary key,
  upto       pg_snapshot not null,
  counted_at timestamptz not null
) with (fillfactor = 10);

comment on table  core.job_tally_mark is 'Up to where the tally goes: one row.';
comment on column core.job_tally_mark.company_id is 'The system company.';
comment on column core.job_tally_mark.upto is 'What this snapshot sees is counted.';
comment on column core.job_tally_mark.counted_at is 'When that was.';

create table core.job_moment (
  company_id uuid        not null,
  xid        xid8        not null,
  at         timestamptz not null,
  primary key (company_id, xid)
);

comment on table  core.job_moment is 'Which transaction was next at some moments, to tell when something was posted.';
comment on column core.job_moment.company_id is 'The system company.';
comment on column core.job_moment.xid is 'No transaction from this one on had begun.';
comment on column core.job_moment.at is 'When.';

create table core.job_pace (
  company_id uuid        not null,
  at         timestamptz not null,
  queue      text        not null,
  kind       text        not null,
  started    bigint      not null,
  primary key (company_id, at, queue, kind)
) with (fillfactor = 50);

comment on table  core.job_pace is 'How many jobs workers claimed in ten seconds, of all companies together.';
comment on column core.job_pace.company_id is 'The system company.';
comment on column core.job_pace.at is 'When the ten seconds began.';
comment on column core.job_pace.queue is 'Of which queue.';
comment on column core.job_pace.kind is 'Of which kind.';
comment on column core.job_pace.started is 'How many.';

insert into core.job_tally_mark (company_id, upto, counted_at)
values ('00000000-0000-7000-8000-000000000000', '1:1:', '-infinity');

create index job_post_again on core.job_post (lane, xid, id) where attempt > 0;
create index job_wait_later on core.job_wait (queue, kind, created_at, id) where attempt = 0;
create index job_wait_again on core.job_wait (queue, kind, created_at, id) where attempt > 0;
create index job_wait_company_later on core.job_wait (company_id, queue, kind, created_at, id) where attempt = 0;
create index job_wait_company_again on core.job_wait (company_id, queue, kind, created_at, id) where attempt > 0;
create index job_end_kind on core.job_end (state, queue, kind, finished_at, id);
create index job_end_company on core.job_end (company_id, state, queue, kind, finished_at, id);

do $$
declare
  target text;
begin
  foreach target in array array['job_tally', 'job_tally_mark', 'job_moment', 'job_pace'] loop
    execute format('alter table core.%I enable row level security', target);
    execute format('alter table core.%I force row level security', target);
    execute format(
      'create policy tenant on core.%I for select to fettle_app, fettle_worker '
      'using (company_id = (select core.current_company()))', target);
    execute format('create policy operator_select on core.%I for select to fettle_admin using (true)', target);
    execute format('create policy doors on core.%I to fettle_auth using (true) with check (true)', target);
    execute format('grant select on core.%I to fettle_app, fettle_worker, fettle_admin, fettle_auth', target);
    execute format('grant insert, update, delete on core.%I to fettle_auth', target);
  end loop;
end
$$;

-- An operator sees of every company how attempts ended, as it sees the jobs, and why only from inside its company.
do $$
begin
  if not exists (
    select from pg_policies p
    where p.schemaname = 'core' and p.tablename = 'job_attempt' and p.policyname = 'operator_select')
  then
    drop policy tenant on core.job_attempt;
    create policy tenant on core.job_attempt to fettle_app, fettle_worker
      using (company_id = (select core.current_company()))
      with check (company_id = (select core.current_company()));
    create policy operator_select on core.job_attempt for select to fettle_admin using (true);
  end if;
end
$$;

revoke select on core.job_attempt from fettle_admin;
grant select (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  on core.job_attempt to fettle_admin;

-- A function's body is checked as its maker, who is refused here under row_security = off.
set local row_security = on;

create function core.tally_jobs(p_older_than interval) returns timestamptz
  language plpgsql security definer
  set search_path = core, pg_temp
  set enable_seqscan = off
  set jit = off
as $$
declare
  every constant uuid := '00000000-0000-7000-8000-000000000000';
  mark core.job_tally_mark;
  late xid8[];
begin
  select m.* into mark from core.job_tally_mark m where m.company_id = every;
  if mark.counted_at > clock_timestamp() - p_older_than then return mark.counted_at; end if;
  perform pg_advisory_xact_lock(hashtextextended('core.job_tally', 7452));
  -- A statement of its own: it sees what was counted while the lock was waited for.
  select m.* into mark from core.job_tally_mark m where m.company_id = every;
  if mark.counted_at > clock_timestamp() - p_older_than then return mark.counted_at; end if;
  select coalesce(array_agg(x.xid), '{}') into late from pg_snapshot_xip(mark.upto) x (xid);
  with fresh as (
    select p.company_id, p.lane, p.queue, p.kind, p.priority, p.xid
    from core.job_post p
    where p.xid >= pg_snapshot_xmax(mark.upto)
    union all
    select p.company_id, p.lane, p.queue, p.kind, p.priority, p.xid
    from core.job_post p
    where p.xid = any (late)
  ), posts as materialized (
    select f.company_id, f.lane, f.queue, f.kind, f.priority, count(*) as jobs, min(f.xid) as first_xid,
      max(f.xid) as last_xid
    from fresh f
    group by f.company_id, f.lane, f.queue, f.kind, f.priority
  ), lanes as materialized (
    select coalesce(t.company_id, p.company_id) as company_id, coalesce(t.lane, p.lane) as lane,
      coalesce(t.claim_no, 0) as claim_no, coalesce(t.claim_week, '-infinity') as claim_week,
      coalesce(t.queue, p.queue) as queue, coalesce(t.kind, p.kind) as kind,
      coalesce(t.priority, p.priority) as priority,
      coalesce(p.jobs, 0) as jobs,
      case when t.posted > t.claimed then t.since_xid else p.first_xid end as since_xid,
      coalesce(p.last_xid, t.last_xid) as last_xid
    from core.job_tally t
    full join posts p on p.company_id = t.company_id and p.lane = t.lane
    where p.lane is not null or t.posted > t.claimed
  ), claims as materialized (
    select l.company_id, l.lane, l.queue, l.kind, c.no, c.week, c.at, c.last_xid, c.jobs
    from lanes l
    cross join lateral (
      select c.no, c.week, c.at, c.last_xid, c.jobs
      from core.job_claim c
      where c.company_id = l.company_id and c.lane = l.lane and c.no > l.claim_no and c.week >= l.claim_week
        and (l.claim_no = 0 or c.week < date_trunc('week', now())::date + 14)
      offset 0
    ) c
  ), taken as (
    select c.company_id, c.lane, sum(c.jobs) as jobs, max(c.no) as no, max(c.week) as week, max(c.last_xid) as last_xid
    from claims c
    group by c.company_id, c.lane
  ), pace as (
    insert into core.job_pace as o (company_id, at, queue, kind, started)
    select every, date_bin('10 seconds', c.at, '2000-01-01 00:00:00+00'), c.queue, c.kind, sum(c.jobs)
    from claims c
    where c.at > now() - interval '2 hours'
    group by 2, 3, 4
    on conflict (company_id, at, queue, kind) do update set started = o.started + excluded.started
  ), counted as (
    insert into core.job_tally as o
      (company_id, lane, queue, kind, priority, posted, claimed, claim_no, claim_week, claim_xid, since_xid, last_xid)
    select l.company_id, l.lane, l.queue, l.kind, l.priority, l.jobs, coalesce(n.jobs, 0), coalesce(n.no, 0),
      coalesce(n.week, '-infinity'), coalesce(n.last_xid, '0'), l.since_xid, l.last_xid
    from lanes l
    left join taken n on n.company_id = l.company_id and n.lane = l.lane
    where l.jobs > 0 or n.no is not null
    on conflict (company_id, lane) do update
    set posted = o.posted + excluded.posted, claimed = o.claimed + excluded.claimed,
        claim_no = greatest(o.claim_no, excluded.claim_no), claim_week = greatest(o.claim_week, excluded.claim_week),
        claim_xid = greatest(o.claim_xid, excluded.claim_xid), since_xid = excluded.since_xid,
        last_xid = greatest(o.last_xid, excluded.last_xid)
  ), moment as (
    insert into core.job_moment (company_id, xid, at)
    values (every, pg_snapshot_xmax(pg_current_snapshot()), clock_timestamp())
    on conflict (company_id, xid) do nothing
  )
  update core.job_tally_mark m
  set upto = pg_current_snapshot(), counted_at = clock_timestamp()
  where m.company_id = every
  returning m.* into mark;
  delete from core.job_pace o where o.company_id = every and o.at < now() - interval '2 hours';
  delete from core.job_moment o where o.company_id = every and o.at < now() - interval '2 days';
  return mark.counted_at;
end
$$;

comment on function core.tally_jobs(interval) is
  'Brings the tally forward unless it is younger than this, and says as of when it is.';

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

create function core.listed_running(p_company uuid, p_queue text, p_kind text, p_xid xid8, p_lane uuid, p_id uuid, p_limit integer)
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
  -- The last job of a claim is its newest: the claims with the newest are enough, unless much of them is done.
  most_claims integer := 2 * p_limit;
  line core.job_line;
  claims integer;
  lines core.job_line[];
begin
  loop
    lines := '{}';
    claims := 0;
    select count(*) into claims from core.open_claims_of(p_company);
    for line in
      select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
        p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
      from (
        select s.*, c.lane
        from (
          select c.*
          from core.open_claims_of(p_company) c
          where (p_queue is null and p_kind is null or exists (
              select from core.job_post p
              where (p.lane, p.xid, p.id) >= (c.lane, c.last_xid, c.last_id)
                and (p.lane, p.xid, p.id) <= (c.lane, c.last_xid, c.last_id)
                and (p_queue is null or p.queue = p_queue) and (p_kind is null or p.kind = p_kind)))
          order by c.last_xid desc, c.lane desc
          limit most_claims
        ) c
        cross join lateral core.slice_places(c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs) s
        where p_xid is null or (s.xid, c.lane, s.id) < (p_xid, p_lane, p_id)
        order by s.xid desc, c.lane desc, s.id desc
        offset 0
      ) s
      join core.job_post p on p.company_id = s.company_id and p.id = s.id and p.round = s.round
    loop
      line := core.job_standing(line);
      continue when line.state is distinct from 'running';
      lines := lines || line;
      exit when cardinality(lines) = p_limit;
    end loop;
    exit when cardinality(lines) = p_limit or most_claims is null or claims <= most_claims;
    most_claims := null;
  end loop;
  return query select * from unnest(lines);
end
$$;

comment on function core.listed_running(uuid, text, text, xid8, uuid, uuid, integer) is 'What workers have, newest first.';

-- The two tables of what is set aside are gone through by queue and kind, each led by its index.
create function core.listed_aside(
    p_company uuid, p_queue text, p_kind text, p_state text, p_at timestamptz, p_id uuid, p_limit integer)
  returns setof core.job_line
  language plpgsql stable
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  last_place constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  is_end constant boolean := p_state in ('dead', 'cancelled', 'succeeded');
  place constant text := case when is_end then 'job_end' else 'job_wait' end;
  condition constant text := case p_state
    when 'retrying' then 'o.attempt > 0' when 'queued' then 'o.attempt = 0'
    when 'any' then 'o.attempt = 0 and o.round = 1' else format('o.state = %L', p_state) end;
  index_condition constant text := case p_state when 'any' then 'o.attempt = 0' else condition end;
  whose constant text := case when p_company is null then 'true' else 'o.company_id = $1' end;
  queues text[] := '{}';
  kinds text[] := '{}';
  v_queue text := '';
  v_kind text := '';
begin
  if p_queue is not null and p_kind is not null then
    queues := array[p_queue];
    kinds := array[p_kind];
  else
    loop
      execute format(
        'select o.queue, o.kind from core.%I o where %s and (o.queue, o.kind) > ($2, $3) and %s '
        'order by o.queue, o.kind limit 1', place, whose, index_condition)
      into v_queue, v_kind using p_company, v_queue, v_kind;
      exit when v_kind is null;
      if (p_queue is null or v_queue = p_queue) and (p_kind is null or v_kind = p_kind) then
        queues := queues || v_queue;
        kinds := kinds || v_kind;
      end if;
    end loop;
  end if;
  return query execute format(
    'select l.* from unnest($2::text[], $3::text[]) k (queue, kind) cross join lateral ('
    '  select o.company_id, o.id, o.round, o.queue, o.kind, %1$s, o.priority, o.attempt, o.max_attempts, %2$s, '
    '    o.created_at, %3$s, null::uuid, o.lane, null::xid8 '
    '  from core.%4$I o '
    '  where %5$s and (o.queue, o.kind, o.%6$I, o.id) < (k.queue, k.kind, $4, $5) and o.queue >= k.queue '
    '    and o.queue = k.queue and o.kind = k.kind and %7$s '
    '  order by o.queue desc, o.kind desc, o.%6$I desc, o.id desc limit $6'
    ') l order by l.%6$I desc, l.id desc limit $6',
    case when is_end then 'o.state' else 'case when o.attempt = 0 then ''queued'' else ''retrying'' end as state' end,
    case when is_end then 'o.created_at as run_at' else 'o.run_at' end,
    case when is_end then 'o.finished_at' else 'null::timestamptz as finished_at' end,
    place, whose, case when is_end then 'finished_at' else 'created_at' end, condition)
  using p_company, queues, kinds, coalesce(p_at, 'infinity'), coalesce(p_id, last_place), p_limit;
end
$$;

comment on function core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer) is
  'What waits for its time (queued, retrying; any: what was never posted) or has ended (dead, cancelled, succeeded), newest first.';

create function core.found_job(p_company uuid, p_id uuid) returns setof core.job_line
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
  line core.job_line;
begin
  select p.company_id, p.id, p.round, p.queue, p.kind, null::text, p.priority, p.attempt, p.max_attempts,
    p.created_at, p.created_at, null::timestamptz, null::uuid, p.lane, p.xid
  into line
  from core.job_post p
  where p.company_id = p_company and p.id = p_id
  order by p.round desc
  limit 1;
  if found then
    line := core.job_standing(line);
    return next line;
    return;
  end if;
  return query
    select w.company_id, w.id, w.round, w.queue, w.kind, case when w.attempt = 0 then 'queued' else 'retrying' end,
      w.priority, w.attempt, w.max_attempts, w.run_at, w.created_at, null::timestamptz, null::uuid, w.lane, null::xid8
    from core.job_wait w
    where w.company_id = p_company and w.id = p_id;
  return query
    select e.company_id, e.id, e.round, e.queue, e.kind, e.state, e.priority, e.attempt, e.max_attempts, e.created_at,
      e.created_at, e.finished_at, null::uuid, e.lane, null::xid8
    from core.job_end e
    where e.company_id = p_company and e.id = p_id;
end
$$;

comment on function core.found_job(uuid, uuid) is 'The job of a company with an id, where it stands now.';

create function core.job_attempts(p_id uuid)
  returns table (attempt integer, started_at timestamptz, finished_at timestamptz, outcome text, error text)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select a.attempt, a.started_at, a.finished_at, a.outcome, a.error
  from core.job_run a
  where a.company_id = core.current_company() and a.job_id = p_id
  order by a.attempt, a.fence
$$;

comment on function core.job_attempts(uuid) is 'The attempts at a job of the company of the transaction, oldest first.';

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

grant usage on type core.job_line to fettle_app, fettle_worker, fettle_admin;
revoke execute on function core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer),
  core.tally_jobs(interval), core.jobs_backlog(uuid), core.open_claims_of(uuid),
  core.jobs_running(uuid), core.jobs_set_aside(uuid), core.jobs_pace(interval), core.job_standing(core.job_line),
  core.lane_places(uuid, uuid, text, xid8, uuid, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer),
  core.listed_running(uuid, text, text, xid8, uuid, uuid, integer),
  core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer), core.found_job(uuid, uuid),
  core.job_attempts(uuid), core.job_numbers()
  from public;
grant execute on function core.job_numbers() to fettle_worker, fettle_admin;
grant execute on function core.tally_jobs(interval), core.jobs_backlog(uuid), core.open_claims_of(uuid),
  core.jobs_running(uuid), core.jobs_set_aside(uuid), core.jobs_pace(interval), core.job_standing(core.job_line),
  core.lane_places(uuid, uuid, text, xid8, uuid, integer),
  core.listed_posts(uuid, text, text, text, xid8, uuid, uuid, integer),
  core.listed_running(uuid, text, text, xid8, uuid, uuid, integer),
  core.listed_aside(uuid, text, text, text, timestamptz, uuid, integer), core.found_job(uuid, uuid),
  core.job_attempts(uuid), core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer)
  to fettle_app, fettle_worker, fettle_admin;

grant execute on function core.open_claims_of(uuid), core.slice_places(uuid, pg_snapshot, pg_snapshot, xid8, uuid, integer),
  core.jobs_backlog(uuid), core.jobs_running(uuid), core.jobs_set_aside(uuid)
  to fettle_auth;
grant select on core.job_run to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.tally_jobs(interval) owner to fettle_auth;
alter function core.job_attempts(uuid) owner to fettle_auth;
alter function core.job_numbers() owner to fettle_auth;
revoke create on schema core from fettle_auth;
