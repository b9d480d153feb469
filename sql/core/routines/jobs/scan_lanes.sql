-- Returns all lanes that have a job to claim, preceded by one row with the snapshot of this scan.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_seqscan = off, enable_bitmapscan = off, jit = off
create function core.scan_lanes()
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
declare
  v_lanes text;
begin
  -- One walk per partition: each week between the first and the last, and everything before and after these.
  with week as (
    select to_date(right(c.relname, 8), 'YYYYMMDD') as week
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'core.job_queued'::regclass and c.relname ~ '_[0-9]{8}$'
  ), span as (
    select w::date as first, w::date + 7 as next
    from (select min(week) as first, max(week) as last from week) x
    cross join generate_series(x.first::timestamp, x.last::timestamp, interval '7 days') w
    union all
    select '-infinity', coalesce(min(week), 'infinity') from week
    union all
    select max(week) + 7, 'infinity' from week having count(*) > 0
  )
  select string_agg(
      format($sql$
        (with recursive walk as (
          (select p.lane, p.company_id, p.queue, p.kind, p.priority
           from core.job_queued p
           where p.week >= %1$L and p.week < %2$L
           order by p.lane
           limit 1)
          union all
          select n.*
          from walk w
          cross join lateral (
            select p.lane, p.company_id, p.queue, p.kind, p.priority
            from core.job_queued p
            where p.lane > w.lane and p.week >= %1$L and p.week < %2$L
            order by p.lane
            limit 1
          ) n
        )
        select * from walk)
        $sql$, s.first, s.next),
      ' union ')
  into v_lanes
  from span s;
  return query execute format($sql$
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select f.company_id, f.lane, f.queue, f.kind, f.priority, null
    from (%s) f
    left join lateral (
      select f.lane, c.no, c.before, c.upto, c.last_xid as after_xid, c.last_id as after_id from core.job_claim c
      where c.company_id = f.company_id and c.lane = f.lane
      order by c.no desc
      limit 1
    ) c on true
    where c.no is null
      -- Rows behind the last claim, or of transactions that were in progress at one of its snapshots.
      or exists (
        select from core.job_queued p
        where
          -- include: behind_claim of=c
      )
      or (pg_snapshot_xmin(c.before) < pg_snapshot_xmax(c.before) or pg_snapshot_xmin(c.upto) < pg_snapshot_xmax(c.upto))
        and (
          exists (select from core.batch_of_lane(f.lane, c.before, c.upto, c.after_xid, c.after_id, 1))
          or exists (
            select from core.batch_of_lane(
              f.lane, c.upto, pg_current_snapshot(), '0', '00000000-0000-0000-0000-000000000000', 1)))
    $sql$, v_lanes);
end
$$;
