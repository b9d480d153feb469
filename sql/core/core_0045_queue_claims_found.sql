-- A claim is found by its key, compared as a row, which only the index on all of it answers. Compared by its parts, a plan of
-- the first minutes of a week, when every index looks as good, could go through all that a worker had claimed for each of
-- its claims: twenty jobs each of ten thousand companies took as long again.

set local row_security = on;

drop function core.claimed_jobs(uuid, date[], uuid[], uuid[], bigint[]);

create function core.claimed_jobs(p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[])
  returns table (
    place integer, id uuid, round integer, attempt integer, max_attempts integer, payload jsonb, unique_key text,
    cause_type text, cause_id uuid, trace_id text, is_alone boolean, posted_at timestamptz, is_cancelled boolean)
  language plpgsql stable security definer
  set search_path = core, pg_temp
  set enable_sort = off
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  return query
    select x.place::integer, j.id, j.round, j.attempt + 1, j.max_attempts, j.payload, j.unique_key, j.cause_type, j.cause_id,
      j.trace_id, j.is_alone, j.posted_at,
      exists (select from core.job_stop t where t.company_id = c.company_id and t.id = j.id and t.round = j.round)
    from unnest(p_weeks, p_companies, p_lanes, p_nos) with ordinality x (week, company_id, lane, no, place)
    cross join lateral (
      select c.company_id, c.lane, c.before, c.upto, c.after_xid, c.after_id, c.jobs, c.worker_id from core.job_claim c
      where c.week = x.week and (c.company_id, c.lane, c.no) >= (x.company_id, x.lane, x.no)
        and (c.company_id, c.lane, c.no) <= (x.company_id, x.lane, x.no)
      limit 1
    ) c
    cross join lateral (
      -- As they were cut, of whatever week: a lane that rested has jobs of many.
      select p.*
      from (
        select x.xid from pg_snapshot_xip(c.before) x (xid)
        where x.xid >= c.after_xid and pg_visible_in_snapshot(x.xid, c.upto)
      ) x
      cross join lateral (
        select p.id, p.round, p.attempt, p.max_attempts, p.payload, p.unique_key, p.cause_type, p.cause_id, p.trace_id, p.is_alone,
          p.posted_at
        from core.job_post p
        where (p.lane, p.xid, p.id) > (c.lane, x.xid, case when x.xid = c.after_xid then c.after_id else nobody end)
          and p.lane <= c.lane and p.xid <= x.xid
        order by p.lane, p.xid, p.id
        limit c.jobs
      ) p
      union all
      (select p.id, p.round, p.attempt, p.max_attempts, p.payload, p.unique_key, p.cause_type, p.cause_id, p.trace_id, p.is_alone,
         p.posted_at
       from core.job_post p
       where (p.lane, p.xid, p.id) > (
           c.lane, greatest(c.after_xid, pg_snapshot_xmax(c.before)),
           case when c.after_xid >= pg_snapshot_xmax(c.before) then c.after_id else nobody end)
         and p.lane <= c.lane and p.xid < pg_snapshot_xmax(c.upto) and pg_visible_in_snapshot(p.xid, c.upto)
       order by p.lane, p.xid, p.id
       limit c.jobs)
      limit c.jobs
    ) j
    where c.worker_id = p_worker;
end
$$;

comment on function core.claimed_jobs(uuid, date[], uuid[], uuid[], bigint[]) is
  'The jobs of claims of a worker, as they were cut; place says of which claim, counted from 1.';

revoke execute on function core.claimed_jobs(uuid, date[], uuid[], uuid[], bigint[]) from public;
grant execute on function core.claimed_jobs(uuid, date[], uuid[], uuid[], bigint[]) to fettle_worker;

grant create on schema core to fettle_auth;
alter function core.claimed_jobs(uuid, date[], uuid[], uuid[], bigint[]) owner to fettle_auth;
revoke create on schema core from fettle_auth;

create or replace function core.has_claim(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid) returns boolean
  language plpgsql
  set search_path = core, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
declare
  v_worker uuid;
begin
  select c.worker_id into v_worker
  from core.job_claim c
  where (c.company_id, c.lane, c.no) >= (p_company, p_lane, p_no)
    and (c.company_id, c.lane, c.no) <= (p_company, p_lane, p_no)
  for key share;
  if v_worker is distinct from p_worker then return false; end if;
  -- A statement of its own: it sees what was committed while the lock was waited for.
  return not exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no);
end
$$;
