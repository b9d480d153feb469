-- Where there is something to claim.

set local row_security = on;

create function core.arrived_jobs(p_since pg_snapshot)
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
  -- By the indexes, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from core.job_post p
    where p.xid >= pg_snapshot_xmax(p_since)
    union all
    select distinct p.company_id, p.lane, p.queue, p.kind, p.priority, null
    from pg_snapshot_xip(p_since) x (xid)
    -- One by one, by the index.
    cross join lateral (
      select p.company_id, p.lane, p.queue, p.kind, p.priority from core.job_post p where p.xid = x.xid offset 0
    ) p;
end
$$;

comment on function core.arrived_jobs(pg_snapshot) is
  'The lanes of jobs that were committed since a snapshot, and in its first row the snapshot up to which it looked.';

create function core.lanes_with_jobs()
  returns table (company_id uuid, lane uuid, queue text, kind text, priority smallint, upto text)
  language plpgsql stable security definer
  set search_path = core, pg_temp
  -- By the indexes, whatever statistics say.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with recursive walk as (
      (select p.lane from core.job_post p order by p.lane limit 1)
      union all
      select (select p.lane from core.job_post p where p.lane > w.lane order by p.lane limit 1)
      from walk w
      where w.lane is not null
    ), first as (
      select f.*
      from walk w
      cross join lateral (
        select p.company_id, p.lane, p.queue, p.kind, p.priority
        from core.job_post p
        where p.lane = w.lane
        limit 1
      ) f
      where w.lane is not null
    )
    select null::uuid, null::uuid, null::text, null::text, null::smallint, pg_current_snapshot()::text
    union all
    select f.company_id, f.lane, f.queue, f.kind, f.priority, null
    from first f
    left join lateral (
      select c.* from core.job_claim c where c.company_id = f.company_id and c.lane = f.lane order by c.no desc limit 1
    ) c on true
    where c.no is null
      or exists (select from core.job_slice(f.lane, c.before, c.upto, c.last_xid, c.last_id, 1))
      or exists (
        select from core.job_slice(
          f.lane, c.upto, pg_current_snapshot(), '0', '00000000-0000-0000-0000-000000000000', 1));
end
$$;

comment on function core.lanes_with_jobs() is
  'The lanes that have jobs to be claimed, and in its first row the snapshot up to which it looked.';

create function core.post_due_jobs(p_limit integer) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  posted integer;
begin
  with due as (
    select w.company_id, w.id
    from core.job_wait w
    where w.run_at <= clock_timestamp()
    order by w.run_at
    limit p_limit
    for update skip locked
  ), gone as (
    delete from core.job_wait w
    using due d
    where w.company_id = d.company_id and w.id = d.id
    returning w.*
  )
  insert into core.job_post
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select g.company_id, g.lane, g.id, g.round, g.queue, g.kind, g.priority, g.attempt, g.max_attempts, g.is_alone,
    g.unique_key, g.created_at, g.cause_type, g.cause_id, g.trace_id, g.payload
  from gone g;
  get diagnostics posted = row_count;
  return posted;
end
$$;

comment on function core.post_due_jobs(integer) is 'Posts jobs whose time has come, up to so many; says how many.';

revoke execute on function core.arrived_jobs(pg_snapshot), core.lanes_with_jobs(), core.post_due_jobs(integer)
  from public;
grant execute on function core.arrived_jobs(pg_snapshot), core.lanes_with_jobs(), core.post_due_jobs(integer)
  to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.arrived_jobs(pg_snapshot) owner to fettle_auth;
alter function core.lanes_with_jobs() owner to fettle_auth;
alter function core.post_due_jobs(integer) owner to fettle_auth;
revoke create on schema core from fettle_auth;
