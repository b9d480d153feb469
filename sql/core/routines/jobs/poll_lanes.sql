-- Returns the lanes with rows committed since a snapshot, preceded by one row with the snapshot of this poll.
--
-- owner: fettle_auth
-- execute: fettle_worker
-- set: enable_seqscan = off, enable_bitmapscan = off, jit = off, plan_cache_mode = force_generic_plan
create function core.poll_lanes(p_since pg_snapshot)
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from core.job_queued p
    where p.xid >= pg_snapshot_xmax(p_since)
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from pg_snapshot_xip(p_since) x (xid)
    -- One lookup per transaction, by the index on xid.
    cross join lateral (
      select p.company_id, p.lane, p.queue, p.kind, p.priority from core.job_queued p where p.xid = x.xid offset 0
    ) p;
end
$$;
