-- How claims end with their jobs done, and how single jobs of them are told apart before that.

set local row_security = on;

-- Claims whose jobs are all done. The first settlement stands, so what somebody took for lost stays lost.
create function core.settle_claims(
    p_worker uuid, p_weeks date[], p_companies uuid[], p_lanes uuid[], p_nos bigint[])
  returns table (company_id uuid, lane uuid, no bigint)
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
#variable_conflict use_column
begin
  insert into core.job_settlement (week, company_id, lane, no, outcome)
  select c.week, c.company_id, c.lane, c.no, 'finished'
  from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
  cross join lateral (
    select c.week, c.company_id, c.lane, c.no
    from core.job_claim c
    where c.week = x.week and c.company_id = x.company_id and c.lane = x.lane and c.no = x.no
      and c.worker_id = p_worker
    limit 1
  ) c
  on conflict do nothing;
  return query
    select x.company_id, x.lane, x.no
    from unnest(p_weeks, p_companies, p_lanes, p_nos) x (week, company_id, lane, no)
    where not exists (
      select from core.job_settlement s
      where s.week = x.week and s.company_id = x.company_id and s.lane = x.lane and s.no = x.no
        and s.outcome = 'finished');
end
$$;

comment on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) is
  'Settles claims of a worker that are done; gives those that are not its any more.';

-- Until the transaction ends: whoever takes the claim for lost waits for it, or has taken it before.
create function core.has_claim(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid) returns boolean
  language plpgsql
  set search_path = core, pg_temp
as $$
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for key share;
  if not found then return false; end if;
  -- A statement of its own: it sees what was committed while the lock was waited for.
  return not exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no);
end
$$;

comment on function core.has_claim(uuid, uuid, bigint, uuid) is
  'Whether a worker has a claim that nobody has settled; it keeps it until the transaction ends.';

-- In the transaction that writes a job's effects.
create function core.holds_claim(p_lane uuid, p_no bigint, p_worker uuid, p_id uuid, p_round integer) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  v_company constant uuid := core.current_company();
begin
  if not core.has_claim(v_company, p_lane, p_no, p_worker) then return false; end if;
  -- A statement of its own, for the same reason.
  return not exists (
    select from core.job_post n where n.company_id = v_company and n.id = p_id and n.round > p_round);
end
$$;

comment on function core.holds_claim(uuid, bigint, uuid, uuid, integer) is
  'Whether a worker still has a job of a claim of the company of the transaction; it keeps it until the transaction ends.';

create function core.free_job_key(p_company uuid, p_kind text, p_key text, p_job uuid) returns void
  language sql
  set search_path = core, pg_temp
as $$
  delete from core.job_key k
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job
    and (k.until is null or k.until <= clock_timestamp());
  update core.job_key k set is_ended = true
  where k.company_id = p_company and k.kind = p_kind and k.key = p_key and k.job_id = p_job;
$$;

comment on function core.free_job_key(uuid, text, text, uuid) is
  'Frees the key of a job that has ended, unless it is held for a time.';

create function core.write_down(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns void
  language sql
  set search_path = core, pg_temp
as $$
  insert into core.job_attempt
    (company_id, job_id, attempt, fence, worker_id, started_at, finished_at, outcome)
  select p_company, p.id, p.attempt + 1, p_no, p_worker, c.at, clock_timestamp(), 'succeeded'
  from core.job_claim c
  cross join unnest(p_ids) x (id)
  cross join lateral (
    select p.id, p.attempt, p.lane from core.job_post p
    where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker and p.lane = p_lane
  on conflict do nothing
$$;

comment on function core.write_down(uuid, uuid, bigint, uuid, uuid[]) is
  'Gives jobs of a claim that are done attempts of their own, for when the claim does not end with them.';

-- So that a death later on does not have them done again.
create function core.write_down_done(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  if not core.has_claim(p_company, p_lane, p_no, p_worker) then return false; end if;
  perform core.write_down(p_company, p_lane, p_no, p_worker, p_ids);
  return true;
end
$$;

comment on function core.write_down_done(uuid, uuid, bigint, uuid, uuid[]) is
  'Writes down which jobs of an open claim are done while others of it go on; false: it is open no more.';

-- Gives back jobs of a claim that goes on for others of its jobs: they are posted anew, and belong to it no more.
create function core.hand_back(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_ids uuid[]) returns integer
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
declare
  posted integer;
begin
  perform from core.job_claim c
  where c.company_id = p_company and c.lane = p_lane and c.no = p_no and c.worker_id = p_worker
  for update;
  -- Whoever was writing what came of one of them is done by now.
  if not found then return 0; end if;
  if exists (
    select from core.job_settlement s where s.company_id = p_company and s.lane = p_lane and s.no = p_no)
  then
    return 0;
  end if;
  insert into core.job_post
    (company_id, lane, id, round, queue, kind, priority, attempt, max_attempts, is_alone, unique_key, created_at,
     cause_type, cause_id, trace_id, payload)
  select p.company_id, p.lane, p.id, p.round + 1, p.queue, p.kind, p.priority, p.attempt, p.max_attempts, p.is_alone,
    p.unique_key, p.created_at, p.cause_type, p.cause_id, p.trace_id, p.payload
  from unnest(p_ids) x (id)
  cross join lateral (
    select p.* from core.job_post p where p.company_id = p_company and p.id = x.id order by p.round desc limit 1
  ) p
  where p.lane = p_lane
    and not exists (select from core.job_stop t where t.company_id = p.company_id and t.id = p.id and t.round = p.round)
    and not exists (
      select from core.job_attempt a
      where a.company_id = p.company_id and a.job_id = p.id and a.attempt = p.attempt + 1 and a.fence = p_no)
    and core.is_claimed(p_company, p_lane, p.xid, p.id);
  get diagnostics posted = row_count;
  return posted;
end
$$;

comment on function core.hand_back(uuid, uuid, bigint, uuid, uuid[]) is
  'Posts jobs of an open claim anew that its worker has not begun, or has given up; says how many.';

create function core.stopped_jobs(p_worker uuid) returns table (company_id uuid, id uuid, round integer)
  language sql stable security definer
  set search_path = core, pg_temp
as $$
  select t.company_id, t.id, t.round from core.job_stop t where t.worker_id = p_worker
$$;

comment on function core.stopped_jobs(uuid) is 'The jobs that a worker is to end, because they were cancelled.';

create function core.begin_job(p_company uuid, p_lane uuid, p_no bigint, p_worker uuid, p_id uuid) returns boolean
  language plpgsql security definer
  set search_path = core, pg_temp
as $$
begin
  if not core.has_claim(p_company, p_lane, p_no, p_worker) then return false; end if;
  insert into core.job_begin (company_id, id, no, lane) values (p_company, p_id, p_no, p_lane) on conflict do nothing;
  return true;
end
$$;

comment on function core.begin_job(uuid, uuid, bigint, uuid, uuid) is
  'Says that a job begins that was claimed alone; false: it is not the worker''s any more.';

create function core.forget_begun(p_limit integer) returns bigint
  language sql security definer
  set search_path = core, pg_temp
as $$
  with gone as (
    delete from core.job_begin b
    using (
      select b.company_id, b.id, b.no
      from core.job_begin b
      where exists (
        select from core.job_settlement s where s.company_id = b.company_id and s.lane = b.lane and s.no = b.no)
      limit p_limit
    ) o
    where b.company_id = o.company_id and b.id = o.id and b.no = o.no
    returning b.id
  )
  select count(*) from gone
$$;

comment on function core.forget_begun(integer) is 'Deletes what says of settled claims that jobs were begun, up to so many; says how many.';

revoke execute on function core.write_down(uuid, uuid, bigint, uuid, uuid[]),
  core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]), core.hand_back(uuid, uuid, bigint, uuid, uuid[]),
  core.write_down_done(uuid, uuid, bigint, uuid, uuid[]), core.begin_job(uuid, uuid, bigint, uuid, uuid),
  core.forget_begun(integer), core.stopped_jobs(uuid), core.holds_claim(uuid, bigint, uuid, uuid, integer),
  core.free_job_key(uuid, text, text, uuid), core.has_claim(uuid, uuid, bigint, uuid)
  from public;
grant execute on function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]),
  core.hand_back(uuid, uuid, bigint, uuid, uuid[]), core.write_down_done(uuid, uuid, bigint, uuid, uuid[]),
  core.begin_job(uuid, uuid, bigint, uuid, uuid), core.stopped_jobs(uuid),
  core.holds_claim(uuid, bigint, uuid, uuid, integer)
  to fettle_worker;
grant execute on function core.forget_begun(integer) to fettle_worker, fettle_admin;
grant execute on function core.free_job_key(uuid, text, text, uuid)
  to fettle_app, fettle_worker, fettle_admin, fettle_auth;
grant execute on function core.has_claim(uuid, uuid, bigint, uuid), core.write_down(uuid, uuid, bigint, uuid, uuid[])
  to fettle_auth;

grant create on schema core to fettle_auth;
alter function core.settle_claims(uuid, date[], uuid[], uuid[], bigint[]) owner to fettle_auth;
alter function core.hand_back(uuid, uuid, bigint, uuid, uuid[]) owner to fettle_auth;
alter function core.write_down_done(uuid, uuid, bigint, uuid, uuid[]) owner to fettle_auth;
alter function core.begin_job(uuid, uuid, bigint, uuid, uuid) owner to fettle_auth;
alter function core.forget_begun(integer) owner to fettle_auth;
alter function core.stopped_jobs(uuid) owner to fettle_auth;
alter function core.holds_claim(uuid, bigint, uuid, uuid, integer) owner to fettle_auth;
revoke create on schema core from fettle_auth;
