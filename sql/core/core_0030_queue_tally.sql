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

revoke execute on function core.tally_jobs(interval) from public;
grant execute on function core.tally_jobs(interval) to fettle_app, fettle_worker, fettle_admin;

grant create on schema core to fettle_auth;
alter function core.tally_jobs(interval) owner to fettle_auth;
revoke create on schema core from fettle_auth;
