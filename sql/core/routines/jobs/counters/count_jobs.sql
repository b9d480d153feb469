-- Updates the counters of all lanes if they are older than an interval; returns the time of the last update.
--
-- In a read-only transaction, only returns the time.
--
-- owner: fettle_auth
-- execute: fettle_app, fettle_worker, fettle_admin, fettle_owner
-- set: enable_seqscan = off, jit = off
create function core.count_jobs(p_older_than interval) returns timestamptz
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  every constant uuid := '00000000-0000-7000-8000-000000000000';
  mark core.job_count_mark;
  late xid8[];
  -- Taken before the counting statement: transaction ids from its snapshot's xmax on are assigned after this
  -- time.
  v_start timestamptz;
  -- Lower bound for the time of an uncounted claim; null: all open lanes are counted.
  v_from timestamptz;
  -- The first week whose claims are not read; it has claims only if a clock was ahead, or around midnight.
  until date := date_trunc('week', now())::date + 7;
begin
  select m.* into mark from core.job_count_mark m where m.company_id = every;
  if mark.counted_at > clock_timestamp() - p_older_than then return mark.counted_at; end if;
  -- A hot standby or a read-only session cannot write: it uses the counters as they are.
  if current_setting('transaction_read_only')::boolean then return mark.counted_at; end if;
  perform pg_advisory_xact_lock(hashtextextended('core.job_count', 7452));
  -- Read again in a statement of its own: another session may have counted while this one waited for the
  -- lock.
  select m.* into mark from core.job_count_mark m where m.company_id = every;
  if mark.counted_at > clock_timestamp() - p_older_than then return mark.counted_at; end if;
  if exists (select from core.job_claim c where c.week >= until) then until := 'infinity'; end if;
  select coalesce(array_agg(x.xid), '{}') into late from pg_snapshot_xip(mark.upto) x (xid);
  select max(o.at) - interval '1 second' into v_from
  from core.job_moment o
  where o.company_id = every and o.xid <= pg_snapshot_xmin(mark.upto);
  -- All open lanes are counted in two cases. v_from is more than 5 minutes ago: a long transaction holds it
  -- back, and each count would read the old claims again. The last full count is more than an hour ago: after
  -- a clock was set back, claims look older than they are and are missed.
  if v_from < clock_timestamp() - interval '5 minutes' or mark.scanned_at < clock_timestamp() - interval '1 hour' then
    v_from := null;
  end if;
  v_start := clock_timestamp();
  with fresh as (
    select p.company_id, p.lane, p.queue, p.kind, p.priority, p.xid
    from core.job_queued p
    where p.xid >= pg_snapshot_xmax(mark.upto)
    union all
    select p.company_id, p.lane, p.queue, p.kind, p.priority, p.xid
    from core.job_queued p
    where p.xid = any (late)
  ), queued as materialized (
    select f.company_id, f.lane, f.queue, f.kind, f.priority, count(*) as jobs, min(f.xid) as first_xid,
      max(f.xid) as last_xid
    from fresh f
    group by f.company_id, f.lane, f.queue, f.kind, f.priority
  ), touched as materialized (
    select p.company_id, p.lane from queued p
    union
    select c.company_id, c.lane from core.job_claim c where c.at >= v_from and c.week < until
    union
    select t.company_id, t.lane from core.job_count t where v_from is null and t.enqueued > t.claimed
  ), lanes as materialized (
    select x.company_id, x.lane,
      coalesce(t.claim_no, 0) as claim_no, coalesce(t.claim_week, '-infinity') as claim_week,
      coalesce(t.queue, p.queue) as queue, coalesce(t.kind, p.kind) as kind,
      coalesce(t.priority, p.priority) as priority,
      coalesce(p.jobs, 0) as jobs,
      case when t.enqueued > t.claimed then t.since_xid else p.first_xid end as since_xid,
      coalesce(p.last_xid, t.last_xid) as last_xid
    from touched x
    left join core.job_count t on t.company_id = x.company_id and t.lane = x.lane
    left join queued p on p.company_id = x.company_id and p.lane = x.lane
    where p.lane is not null or t.enqueued > t.claimed
  ), claims as materialized (
    select l.company_id, l.lane, l.queue, l.kind, c.no, c.week, c.at, c.last_xid, c.jobs
    from lanes l
    cross join lateral (
      select c.no, c.week, c.at, c.last_xid, c.jobs
      from core.job_claim c
      where c.company_id = l.company_id and c.lane = l.lane and c.no > l.claim_no and c.week >= l.claim_week
        and c.week < until
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
    insert into core.job_count as o
      (company_id, lane, queue, kind, priority, enqueued, claimed, claim_no, claim_week, claim_xid, since_xid, last_xid)
    select l.company_id, l.lane, l.queue, l.kind, l.priority, l.jobs, coalesce(n.jobs, 0), coalesce(n.no, 0),
      coalesce(n.week, '-infinity'), coalesce(n.last_xid, '0'), l.since_xid, l.last_xid
    from lanes l
    left join taken n on n.company_id = l.company_id and n.lane = l.lane
    where l.jobs > 0 or n.no is not null
    on conflict (company_id, lane) do update
    set enqueued = o.enqueued + excluded.enqueued, claimed = o.claimed + excluded.claimed,
        claim_no = greatest(o.claim_no, excluded.claim_no), claim_week = greatest(o.claim_week, excluded.claim_week),
        claim_xid = greatest(o.claim_xid, excluded.claim_xid), since_xid = excluded.since_xid,
        last_xid = greatest(o.last_xid, excluded.last_xid)
  ), moment as (
    insert into core.job_moment (company_id, xid, at)
    values (every, pg_snapshot_xmax(pg_current_snapshot()), v_start)
    on conflict (company_id, xid) do nothing
  )
  update core.job_count_mark m
  set upto = pg_current_snapshot(), counted_at = clock_timestamp(),
      scanned_at = case when v_from is null then v_start else m.scanned_at end
  where m.company_id = every
  returning m.* into mark;
  delete from core.job_pace o where o.company_id = every and o.at < now() - interval '2 hours';
  delete from core.job_moment o where o.company_id = every and o.at < now() - interval '2 days';
  return mark.counted_at;
end
$$;
